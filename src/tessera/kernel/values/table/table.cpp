// Dicts and sets of functions that the host calls.
#include "tessera/kernel/values/table/table.h"

#include <algorithm>
#include <array>

#include "tessera/kernel/builtins/builtins.h"
#include "tessera/kernel/lower/calls/call.h"
#include "tessera/kernel/lower/calls/function.h"
#include "tessera/kernel/lower/expression.h"
#include "tessera/kernel/lower/lowering.h"
#include "tessera/kernel/lower/memory_words.h"
#include "tessera/kernel/lower/operator.h"
#include "tessera/kernel/lower/words.h"
#include "tessera/kernel/values/array/whole.h"
#include "tessera/kernel/values/list/list.h"
#include "tessera/kernel/values/object/object.h"
#include "tessera/kernel/values/table/table_hash.h"
#include "tessera/kernel/values/text/string.h"
#include "tessera/kernel/values/text/text.h"
#include "tessera/kernel/values/value_rules.h"

namespace tessera::kernel {

namespace {

constexpr std::array<std::string_view, 13> methods_by_key{"get",
                                                          "pop",
                                                          "setdefault",
                                                          "__getitem__",
                                                          "__setitem__",
                                                          "__delitem__",
                                                          "__contains__",
                                                          "add",
                                                          "discard",
                                                          "remove",
                                                          "has_key",
                                                          "",
                                                          ""};
constexpr std::array<std::string_view, 9> methods_that_change{"add",
                                                              "discard",
                                                              "remove",
                                                              "pop",
                                                              "clear",
                                                              "update",
                                                              "intersection_update",
                                                              "difference_update",
                                                              "symmetric_difference_update"};

bool is_view(const Type& type) { return type->kind == TypeKind::dict && !type->names.empty(); }
bool is_frozen(const Type& type) { return type->kind == TypeKind::set && !type->names.empty(); }

Item renamed(const Item& table, std::vector<std::string> names) {
  return {with_names(table.type, names), table.values};
}

std::string library_name(const Type& type, std::string_view method) {
  return std::string(type->kind == TypeKind::dict ? "dict." : "set.") + std::string(method);
}

/// The types of the parts, a hash first.
Type entry_type(std::vector<Type> parts) {
  parts.insert(parts.begin(), Type::scalar(DType::int64));
  return Type::tuple(std::move(parts));
}

Type known_entry(Lowering& l, const Item& table) { return l.lists.element_type(table.type); }

ir::Value unsigned_constant(Lowering& l, uint64_t bits) {
  return l.b.constant(Scalar::of_int(DType::uint64, static_cast<int64_t>(bits)));
}

ir::Value mixed(Lowering& l, ir::Value bits) {
  ir::Builder& b = l.b;
  const ir::Value product = b.mul(bits, unsigned_constant(l, hash_factor));
  return b.bit_xor(product, b.binary(ir::Opcode::shift_right, product, unsigned_constant(l, hash_shift)));
}

/// Whether nothing has been added yet, as far as inference has come.
bool is_unknown(Lowering& l, const Item& table) {
  if (l.lists.element_of_lists(table.type).type || l.known->lists.takes_integers) return false;
  l.known.note_element();
  return true;
}

/// 64 bits, of which the hash takes 63.
ir::Value hash_bits(Lowering& l, const Node& node, const Item& key) {
  ir::Builder& b = l.b;
  const Type& type = key.type;
  if (type.is_scalar() && !is_complex(type->dtype)) {
    if (!is_floating(type->dtype)) return b.cast(b.cast(key.values[0], DType::int64), DType::uint64);
    const ir::Value number = b.add(b.cast(key.values[0], DType::float64), b.constant(DType::float64, 0));
    return mixed(l, b.bitcast(number, DType::uint64));
  }
  if (type->kind == TypeKind::string) return b.cast(l.strings.hash(key), DType::uint64);
  std::vector<Item> parts;
  if (type.is_scalar()) parts = {l.scalar(b.real(key.values[0])), l.scalar(b.imag(key.values[0]))};
  if (type->kind == TypeKind::object) {
    const std::optional<Item> hashed = hash_of_object(l, node, key);
    if (!hashed) l.fail(node, format("unhashable type: {}", describe(type)), "a class with __hash__");
    return mixed(l, b.cast(l.cast(*hashed, DType::int64), DType::uint64));
  }
  if (type->kind == TypeKind::optional && !holds_objects(type)) {
    const ir::Value inside = hash_bits(l, node, held(key));
    return b.select(key.values[0], inside, unsigned_constant(l, hash_seed));
  }
  if (type->kind == TypeKind::none) return unsigned_constant(l, hash_seed);
  if (type->kind == TypeKind::tuple)
    for (size_t k = 0; k < type->elements.size(); ++k) parts.push_back(element(key, k));
  else if (parts.empty())
    l.fail(node, format("unhashable type: {}", describe(type)), "numbers, texts and tuples of them as keys");
  ir::Value bits = unsigned_constant(l, hash_seed);
  for (const Item& part : parts) {
    const ir::Value one = hash_bits(l, node, part);
    bits = mixed(l, b.add(b.mul(bits, unsigned_constant(l, hash_step)), one));
  }
  return bits;
}

/// What a library function of the name gives for the table and these arguments.
Item ask(Lowering& l, const Node& node, const Item& table, std::string_view method, std::vector<Item> arguments) {
  arguments.insert(arguments.begin(), table);
  return call_library(l, node, library_name(table.type, method), arguments);
}

Item new_table(Lowering& l, const Node& node, TypeKind kind, std::string_view what = "") {
  l.lists.note_change();
  return l.lists.new_container(node, {.kind = kind}, what);
}

/// The keys of a view or a dict as a set.
Item set_of(Lowering& l, const Node& node, const Item& item, std::string_view what) {
  if (item.type->kind == TypeKind::set) return item;
  const Item made = new_table(l, node, TypeKind::set, what);
  Node at = node;  // the other side's variables are its own
  at.place.end_column += what == "r" ? 1 << 20 : 0;
  call_library(l, at, "set.update", {made, item});
  return made;
}

/// Whether it is a call that only loops take, such as zip(a, b).
bool is_sequence_call(const Lowering& l, const Node& node) {
  if (node.kind != NodeKind::call) return false;
  const std::optional<Entity> callee = entity_of(l, node.operands[0]);
  if (!callee || callee->kind != EntityKind::builtin) return false;
  const std::string& name = callee->name;
  return name == "builtins.zip" || name == "builtins.enumerate" || name == "builtins.reversed";
}

bool is_set_like(const Type& type) {
  return type->kind == TypeKind::set || (is_view(type) && type->names[0] != "values");
}

}  // namespace

bool is_table(const Type& type) { return type->kind == TypeKind::dict || type->kind == TypeKind::set; }

ir::Value begin_table(Lowering& l, ir::Value header) {
  store_word(l, l.b.add(header, l.number(index_word)), l.b.add(header, l.number(table_words)));
  store_word(l, l.b.add(header, l.number(mask_word)), l.number(least_index - 1));
  return header;
}

ir::Value table_word(Lowering& l, const Item& table, int64_t word) {
  return load_word(l, l.b.add(table.values[0], l.number(word)));
}

void set_table_word(Lowering& l, const Item& table, int64_t word, ir::Value value) {
  store_word(l, l.b.add(table.values[0], l.number(word)), value);
}

ir::Value table_length(Lowering& l, const Item& table) {
  const ir::Value length = table_word(l, table, live_word);
  l.facts.set_lower_bound(length, 0);
  return length;
}

Item entry_part(Lowering& l, const Item& table, ir::Value entry, size_t part) {
  return element(list_element(l, table, entry), part);
}

ir::Value ask_table(Lowering& l, HostTable what, const Item& table) {
  const Type entry = known_entry(l, table);
  return call_host(l, HostFunction::table,
                   {l.number(static_cast<int64_t>(what)), table.values[0], l.number(words_of_type(entry)),
                    l.number(holds_addresses(entry) ? 0 : 1)});
}

bool holds_objects(const Type& type) {
  if (type->kind == TypeKind::object) return true;
  return !type.is_container() && std::ranges::any_of(type->elements, holds_objects);
}

ir::Value hash_of_key(Lowering& l, const Node& node, const Item& key) {
  const ir::Value bits = hash_bits(l, node, key);
  return l.b.cast(l.b.bit_and(bits, unsigned_constant(l, static_cast<uint64_t>(INT64_MAX))), DType::int64);
}

Item stored(Lowering& l, const Node& node, const Item& item, std::string_view what) {
  if (const std::optional<Item> text = string_of(l, item)) return *text;
  if (is_list(item)) return list_of(l, node, item, std::string(what));
  if (item.type->kind != TypeKind::tuple || item.values.empty()) {
    if (item.type->kind != TypeKind::tuple) return l.in_memory(node, item);
  }
  std::vector<Item> parts;
  for (size_t k = 0; k < item.type->elements.size(); ++k)
    parts.push_back(stored(l, node, element(item, k), format("{}.{}", what, k)));
  return joined_of({.kind = TypeKind::tuple, .is_dict = item.type->is_dict, .names = item.type->names}, parts);
}

Item as_key(Lowering& l, const Node& node, const Item& table, const Item& key) {
  const Type type = known_entry(l, table)->elements.at(1);
  const Item given = stored(l, node, key, "k");
  const std::optional<Type> both = unify(type, given.type);
  const bool numbers = type.is_scalar() && given.type.is_scalar() && takes_number(given.type->dtype, type->dtype);
  if (!numbers && (!both || *both != type))
    l.fail(node, format("a key is {}, in a {}", describe(given.type), describe(l.lists.resolved(table.type))),
           "a key of the type of the others");
  return l.lists.convert_element(given, type);
}

std::vector<Item> as_entry(Lowering& l, const Node& node, const Item& table, const std::vector<Item>& parts) {
  const typed::ListElement& known = l.lists.element_of_lists(table.type);
  std::vector<Item> given;
  std::vector<Type> types;
  for (size_t k = 0; k < parts.size(); ++k) {
    given.push_back(stored(l, node, parts[k], format("p{}", k)));
    const Type& type = given.back().type;
    const bool is_function = type->kind == TypeKind::entity && is_function_value(type);
    if ((type->kind == TypeKind::entity && !is_function) || (type->kind == TypeKind::none && k > 0 && !known.is_fixed))
      l.fail(node, format("{} in a {}", describe(type), describe(table.type)),
             "numbers, texts, tuples, arrays, lists, dicts and sets");
    Type wanted = is_function ? type_of_functions({type}) : type.is_array() ? as_view(type) : type;
    if (known.is_fixed && known.type) {
      const Type fixed = (*known.type)->elements.at(k + 1);
      if (fixed.is_scalar() && type.is_scalar() && takes_number(type->dtype, fixed->dtype)) wanted = fixed;
      if (fixed->kind == TypeKind::optional) wanted = fixed;
    }
    types.push_back(wanted);
  }
  l.lists.widen_element(node, table.type, entry_type(std::move(types)));
  const Type entry = known_entry(l, table);
  for (size_t k = 0; k < given.size(); ++k) given[k] = l.lists.convert_element(given[k], entry->elements.at(k + 1));
  return given;
}

Item lower_table_display(Lowering& l, const Node& node) {
  const bool is_dict = node.kind == NodeKind::dict;
  std::vector<Item> values;
  if (is_dict)
    if (const std::optional<Item> written = lower_written_dict(l, node, values)) return *written;
  const Item table = new_table(l, node, is_dict ? TypeKind::dict : TypeKind::set);
  for (size_t k = 0; k < node.operands.size(); k += is_dict ? 2 : 1) {
    Node place = node.operands[k];
    if (is_dict && place.kind == NodeKind::nothing && place.name == "**") {
      call_library(l, node.operands[k + 1], "dict.update", {table, l.lower(node.operands[k + 1])});
    } else if (is_dict) {
      const Item key = l.lower(place);
      store_in_table(l, place, table, key, values.empty() ? l.lower(node.operands[k + 1]) : values[k / 2]);
    } else {
      for (const Item& item : lower_listed(l, {&node.operands[k], 1}))
        ask(l, place, table, "add", as_entry(l, place, table, {item}));
    }
  }
  return table;
}

void store_in_table(Lowering& l, const Node& node, const Item& table, const Item& key, const Item& value) {
  if (table.type->kind == TypeKind::set || is_view(table.type))
    l.fail(node, format("'{}' object does not support item assignment", describe(table.type)));
  ask(l, node, table, "__setitem__", as_entry(l, node, table, {key, value}));
}

Item list_of_table(Lowering& l, const Node& node, const Item& table) {
  const Item list = l.lists.new_list(node, "table");
  call_library(l, node, "table.append_to", {table, list});
  return list;
}

namespace {

bool is_constant_text(const Item& item) {
  return item.type->kind == TypeKind::entity && item.type->entity.kind == EntityKind::text;
}

/// The number of the key, which is a constant text; that of keys where it is none of them.
size_t find_key(Lowering& l, const Node& node, const Item& dict, const Item& key) {
  if (!is_constant_text(key))
    l.fail(node, format("{} as a key of a dict of values of several types", describe(key.type)), "a constant text");
  const std::vector<std::string>& names = dict.type->names;
  return static_cast<size_t>(std::ranges::find(names, key.type->entity.name) - names.begin());
}

}  // namespace

std::optional<Item> lower_written_dict(Lowering& l, const Node& node, std::vector<Item>& values) {
  constexpr size_t least = 4;  // two keys with their values
  for (size_t k = 0; k < node.operands.size(); k += 2)
    if (node.operands[k].kind != NodeKind::text || node.operands.size() < least) return {};
  std::vector<std::string> names;
  std::vector<Item> last;
  for (size_t k = 0; k < node.operands.size(); k += 2) {
    const Item value = l.lower(node.operands[k + 1]);
    values.push_back(is_list(value) ? value : l.in_memory(node.operands[k + 1], value));
    const std::string& name = node.operands[k].name;
    const auto known = std::ranges::find(names, name);
    if (known == names.end()) {
      names.push_back(name);
      last.push_back(values.back());
    } else {
      last[static_cast<size_t>(known - names.begin())] = values.back();
    }
  }
  if (names.size() < 2 || !is_mixed_list(tuple_of(last).type)) return {};
  return joined_of({.kind = TypeKind::tuple, .is_dict = true, .names = names}, last);
}

namespace {

/// dict(...), set(...) and frozenset(...).
std::optional<Item> lower_table_call(Lowering& l, const Node& node, std::string_view builtin) {
  if (builtin != "builtins.dict" && builtin != "builtins.set" && builtin != "builtins.frozenset") return {};
  const bool is_dict = builtin == "builtins.dict";
  const size_t given = node.operands.size() - 1 - node.names.size();
  const Item table = new_table(l, node, is_dict ? TypeKind::dict : TypeKind::set);
  if (given > 1 || (!is_dict && !node.names.empty()))
    l.fail(node, format("{} takes one object", builtin.substr(builtin.find('.') + 1)));
  const bool is_of_pairs = given == 1 && is_dict && is_sequence_call(l, node.operands[1]);
  const auto add_pair = [&](const Item& pair) {
    const bool is_pair = pair.type->kind == TypeKind::tuple && pair.type->elements.size() == 2;
    if (!is_pair) l.fail(node, format("dict of {}", describe(pair.type)), "pairs of keys and values");
    store_in_table(l, node, table, element(pair, 0), element(pair, 1));
  };
  if (is_of_pairs) {
    const Sequence over = counted_from_zero(l, sequence_of(l, node.operands[1]));
    for (size_t k = 0; over.tuple && k < over.tuple->type->elements.size(); ++k) add_pair(element(*over.tuple, k));
    if (!over.tuple)
      each_place_in_order(l, std::vector{l.number(0)}, std::vector{l.b.max(over.range.upper, l.number(0))},
                          [&](std::span<const ir::Value> at) { add_pair(over.element(at[0])); });
  } else if (given == 1 && is_dict) {
    call_library(l, node, "dict.update", {table, list_of(l, node, l.lower(node.operands[1]), "t")});
  } else if (given == 1) {
    const Sequence over = counted_from_zero(l, sequence_of(l, node.operands[1]));
    if (over.tuple) {
      for (size_t k = 0; k < over.tuple->type->elements.size(); ++k)
        ask(l, node, table, "add", as_entry(l, node, table, {element(*over.tuple, k)}));
    } else {
      each_place_in_order(l, std::vector{l.number(0)}, std::vector{l.b.max(over.range.upper, l.number(0))},
                          [&](std::span<const ir::Value> at) {
                            ask(l, node, table, "add", as_entry(l, node, table, {over.element(at[0])}));
                          });
    }
  }
  for (size_t k = 0; k < node.names.size(); ++k)
    store_in_table(l, node, table, text_item(node.names[k]), l.lower(node.operands[1 + given + k]));
  return builtin == "builtins.frozenset" ? renamed(table, {"frozenset"}) : table;
}

std::optional<Item> table_subscript(Lowering& l, const Node& node, const Item& table, const Item& key) {
  if (!is_table(table.type)) return {};
  if (table.type->kind == TypeKind::set || is_view(table.type))
    l.fail(node, format("'{}' object is not subscriptable", describe(table.type)), "x in s, or sorted(s)[k]");
  return ask(l, node, table, "__getitem__", {as_key(l, node, table, key)});
}

Item call_method_of_table(Lowering& l, const Node& node, const Item& table) {
  const std::string& name = node.operands[0].name;
  const std::string method = library_name(table.type, name);
  const bool changes = std::ranges::find(methods_that_change, name) != methods_that_change.end();
  if (is_frozen(table.type) && changes) l.fail(node, format("'frozenset' object has no attribute '{}'", name));
  std::vector<Item> positional = lower_positional(l, node, true);
  for (Item& item : positional)
    if (item.type->kind != TypeKind::none) item = stored(l, node, item);
  if (table.type->kind == TypeKind::dict && (name == "keys" || name == "values" || name == "items")) {
    if (!positional.empty() || !node.names.empty()) l.fail(node, format("{} takes no arguments", name));
    return renamed(table, {name});
  }
  const bool is_by_key = std::ranges::find(methods_by_key, name) != methods_by_key.end() && !positional.empty();
  // What is stored is often made of what was there.
  const bool falls_back = (name == "get" || name == "pop") && positional.size() == 2;
  if (falls_back && table.type->kind == TypeKind::dict && is_unknown(l, table)) return positional[1];
  const bool sets = name == "setdefault" || name == "__setitem__";
  if (sets && positional.size() == 2)
    positional = as_entry(l, node, table, positional);
  else if (name == "add" && positional.size() == 1)
    positional = as_entry(l, node, table, positional);
  else if (is_by_key)
    positional[0] = as_key(l, node, table, positional[0]);
  if (find_builtin(method)) {
    if (!positional.empty()) l.fail(node, format("{} takes no arguments", name));
    return find_builtin(method)->lower(l, *find_builtin(method), {node, {table}, {true}});
  }
  positional.insert(positional.begin(), table);
  const std::shared_ptr<const Function> function = find_library(l, method);
  if (!function) l.fail(node, format("'{}' object has no attribute '{}'", describe(table.type), name));
  const Item made = call_function(l, node, *function, with_defaults(l, node, *function, positional));
  const bool is_new_set = made.type->kind == TypeKind::set && made.type != table.type;
  return is_frozen(table.type) && is_new_set ? renamed(made, {"frozenset"}) : made;
}

std::optional<Item> binary_of_tables(Lowering& l, const Node& node, std::string_view op, const Item& left,
                                     const Item& right) {
  if (!is_table(left.type) || !is_table(right.type)) return {};
  if (op == "|" && left.type->kind == TypeKind::dict && right.type->kind == TypeKind::dict && !is_view(left.type))
    return call_library(l, node, "dict.merged", {left, right});
  const std::string_view method = op == "|"   ? "union"
                                  : op == "&" ? "intersection"
                                  : op == "-" ? "difference"
                                  : op == "^" ? "symmetric_difference"
                                              : "";
  if (method.empty() || !is_set_like(left.type) || !is_set_like(right.type)) return {};
  const Item x = set_of(l, node, left, "l"), y = set_of(l, node, right, "r");
  const std::string ending = l.lists.element_type(x.type) == l.lists.element_type(y.type) ? "_alike" : "";
  const Item made = call_library(l, node, library_name(x.type, method) + ending, {renamed(x, {}), renamed(y, {})});
  return is_frozen(x.type) ? renamed(made, {"frozenset"}) : made;
}

std::optional<ir::Value> compare_tables(Lowering& l, const Node& node, std::string_view op, const Item& left,
                                        const Item& right) {
  ir::Builder& b = l.b;
  if (op == "in" || op == "not in") {
    if (!is_table(right.type)) return {};
    if (is_unknown(l, right)) return b.ne(table_length(l, right), l.number(0));
    const bool by_key = !is_view(right.type) || right.type->names[0] == "keys";
    const Item found = by_key ? call_library(l, node, "table.contains", {right, as_key(l, node, right, left)})
                              : call_library(l, node, "table.has", {right, stored(l, node, left)});
    const ir::Value holds = truth(l, node, found);
    return op == "in" ? holds : b.bit_not(holds);
  }
  const bool is_equality = op == "==" || op == "!=";
  const auto is_other = [](const Type& type) {
    return type.is_scalar() || (type->kind == TypeKind::tuple && !type->is_dict);
  };
  if (is_equality && is_table(left.type) != is_table(right.type) && (is_other(left.type) || is_other(right.type)))
    return b.constant(Scalar::of_bool(op == "!="));
  if (!is_table(left.type) || !is_table(right.type)) return {};
  if (op == "is" || op == "is not")
    return op == "is" ? b.eq(left.values[0], right.values[0]) : b.ne(left.values[0], right.values[0]);
  const bool are_dicts = left.type->kind == TypeKind::dict && right.type->kind == TypeKind::dict;
  if (are_dicts && !is_view(left.type) && !is_view(right.type)) {
    if (op != "==" && op != "!=") l.fail(node, format("'{}' not supported between dicts", op));
    const ir::Value same = truth(l, node, call_library(l, node, "dict.equal", {left, right}));
    return op == "==" ? same : b.bit_not(same);
  }
  if (!is_set_like(left.type) || !is_set_like(right.type)) return b.constant(Scalar::of_bool(op == "!="));
  const Item x = set_of(l, node, left, "l"), y = set_of(l, node, right, "r");
  const auto holds = [&](std::string_view method, const Item& first, const Item& second) {
    return truth(l, node, call_library(l, node, "set." + std::string(method), {first, second}));
  };
  if (op == "==" || op == "!=") return op == "==" ? holds("equal", x, y) : b.bit_not(holds("equal", x, y));
  if (op == "<=") return holds("issubset", x, y);
  if (op == ">=") return holds("issubset", y, x);
  return op == "<" ? holds("is_less", x, y) : holds("is_less", y, x);
}

/// `|=` and the like of a dict or a set that changes; false where they are none.
bool augment_table(Lowering& l, const Node& statement, const Item& table, const Item& value) {
  if (!is_table(table.type) || is_view(table.type) || is_frozen(table.type)) return false;
  const std::string& op = statement.name;
  const std::string_view method = op == "|"   ? "update"
                                  : op == "&" ? "intersection_update"
                                  : op == "-" ? "difference_update"
                                  : op == "^" ? "symmetric_difference_update"
                                              : "";
  if (method.empty() || (table.type->kind == TypeKind::dict && op != "|"))
    l.fail(statement, format("{}= of a {} and {}", op, describe(table.type), describe(value.type)));
  call_library(l, statement, library_name(table.type, method), {table, value});
  return true;
}

/// Keys, values or both, in the order in which they were added.
Sequence sequence_over_table(Lowering& l, const Node& node, const Item& table) {
  ir::Builder& b = l.b;
  const std::string view = is_view(table.type) ? table.type->names[0] : "keys";
  const ir::Value used = list_length(l, table), count = table_length(l, table);
  const auto compact = [&](auto) {
    ask_table(l, HostTable::rebuild, table);
    return std::vector<ir::Value>{};
  };
  b.if_(b.ne(used, count), compact, {});
  const bool changes = l.known->lists.changes_any;
  const bool is_dict = table.type->kind == TypeKind::dict;
  Sequence sequence{.range = {l.number(0), count, l.number(1)}};
  sequence.element = [&l, &node, table, count, view, changes, is_dict](ir::Value k) {
    if (changes)
      l.failures.raise_if(node, l.b.ne(table_length(l, table), count), ExceptionNumber::runtime_error,
                          is_dict ? "dictionary changed size during iteration" : "Set changed size during iteration");
    const Item entry = list_element(l, table, k);
    if (view == "items") return tuple_of({element(entry, 1), element(entry, 2)});
    return element(entry, view == "values" ? 2 : 1);
  };
  // Where keys have been added or taken away there is one more step, which raises.
  if (changes)
    sequence.upper = [&l, table, count] {
      const ir::Value is_same = l.b.eq(table_length(l, table), count);
      return l.b.select(is_same, count, l.b.select(l.failures.failed(), l.number(0), l.number(INT64_MAX)));
    };
  return sequence;
}

/// The tuple of its keys.
Item keys_of_written(const Item& dict) {
  std::vector<Item> keys;
  for (const std::string& name : dict.type->names) keys.push_back(text_item(name));
  return tuple_of(keys);
}

Item call_method_of_written(Lowering& l, const Node& node, const Item& dict) {
  const std::string& name = node.operands[0].name;
  const std::vector<Item> given = lower_positional(l, node, true);
  const Item keys = keys_of_written(dict);
  if (given.empty() && name == "copy") return dict;
  if (given.empty() && name == "keys") return keys;
  std::vector<Item> values, items;
  for (size_t k = 0; k < dict.type->names.size(); ++k) {
    values.push_back(element(dict, k));
    items.push_back(tuple_of({element(keys, k), values.back()}));
  }
  if (given.empty() && name == "values") return tuple_of(values);
  if (given.empty() && name == "items") return tuple_of(items);
  if (name == "get" && (given.size() == 1 || given.size() == 2)) {
    const size_t place = find_key(l, node, dict, given[0]);
    if (place < values.size()) return values[place];
    return given.size() == 2 ? given[1] : Item{};
  }
  l.fail(node, format("{}() of a dict of values of several types, which is only read", name),
         "keys, values, items, get and constant keys");
}

/// The condition; nothing where none is asked of such a dict.
std::optional<ir::Value> compare_written_dicts(Lowering& l, const Node& node, std::string_view op, const Item& left,
                                               const Item& right) {
  ir::Builder& b = l.b;
  if (op == "in" || op == "not in") {
    if (!right.type->is_dict) return {};
    const bool found = find_key(l, node, right, left) < right.type->names.size();
    return b.constant(Scalar::of_bool(found == (op == "in")));
  }
  if (!left.type->is_dict || !right.type->is_dict || (op != "==" && op != "!=")) return {};
  const std::vector<std::string>&x = left.type->names, &y = right.type->names;
  ir::Value same = b.constant(Scalar::of_bool(std::ranges::is_permutation(x, y)));
  for (size_t k = 0; k < x.size() && std::ranges::is_permutation(x, y); ++k) {
    const auto other = static_cast<size_t>(std::ranges::find(y, x[k]) - y.begin());
    same = b.bit_and(same, compare(l, node, "==", element(left, k), element(right, other)));
  }
  return op == "==" ? same : b.bit_not(same);
}

std::optional<ir::Value> length_of_table(Lowering& l, const Node&, const Item& item) {
  return is_table(item.type) ? std::optional(table_length(l, item)) : std::nullopt;
}

std::optional<ir::Value> compare_tables_and_dicts(Lowering& l, const Node& node, std::string_view op, const Item& left,
                                                  const Item& right) {
  if (const std::optional<ir::Value> known = compare_tables(l, node, op, left, right)) return known;
  return compare_written_dicts(l, node, op, left, right);
}

bool store_entry(Lowering& l, const Node& node, const Item& object, const Item& index, const Item& value) {
  if (!is_table(object.type)) return false;
  store_in_table(l, node, object, index, value);
  return true;
}

std::optional<Sequence> sequence_over_keys(Lowering& l, const Node& node, const Item& items) {
  if (items.type->is_dict) return Sequence{.tuple = keys_of_written(items)};
  return is_table(items.type) ? std::optional(sequence_over_table(l, node, items)) : std::nullopt;
}

std::optional<Item> method_of_table(Lowering& l, const Node& node, const Item& object) {
  if (object.type->is_dict) return call_method_of_written(l, node, object);
  return is_table(object.type) ? std::optional(call_method_of_table(l, node, object)) : std::nullopt;
}

}  // namespace

const ValueRules table_rules{.length = length_of_table,
                             .binary = binary_of_tables,
                             .compare = compare_tables_and_dicts,
                             .subscript = table_subscript,
                             .store = store_entry,
                             .augment = augment_table,
                             .iterate = sequence_over_keys,
                             .method = method_of_table,
                             .call = lower_table_call};

}  // namespace tessera::kernel
