// Lists of functions that the host calls. A list is the address, in words, of its header: where its elements are, how
// many they are and for how many there is room. An element is a word for each of its scalars, two for complex ones.
#include <algorithm>

#include "tessera/kernel/lower/lowering.h"

namespace tessera::kernel {

namespace {

constexpr int64_t data_word = 0, length_word = 1, room_word = 2, header_words = 3, least_room = 4;

int64_t words_of(DType dtype) { return is_complex(dtype) ? 2 : 1; }

int64_t words_of(const Type& type) {
  std::vector<DType> dtypes;
  append_scalars(type, dtypes);
  int64_t count = 0;
  for (DType dtype : dtypes) count += words_of(dtype);
  return count;
}

/// Without where its lists were made.
Type without_places(Type type) {
  if (type.kind == TypeKind::list) return {.kind = TypeKind::list};
  for (Type& element : type.elements) element = without_places(element);
  return type;
}

}  // namespace

bool is_list(const Item& item) {
  return item.type.kind == TypeKind::list || (item.type.kind == TypeKind::tuple && item.type.is_list);
}

// Element types.

ListElement& Lowering::element_of_lists(const Type& list) {
  ListElement* found = &known_.lists[list.names.at(0)];
  while (!found->joined.empty()) found = &known_.lists[found->joined];
  return *found;
}

/// Lists that one variable or element may be hold elements of one type.
void Lowering::join_lists(const Node& node, const Type& type) {
  for (const Type& element : type.elements) join_lists(node, element);
  if (type.kind != TypeKind::list) return;
  for (size_t k = 1; k < type.names.size(); ++k) {
    ListElement &first = element_of_lists(type), &other = element_of_lists({.names = {type.names[k]}});
    if (&first == &other) continue;
    const std::optional<Type> held = other.type;
    first.is_fixed |= other.is_fixed;
    other.joined = type.names[0];
    changed_ = known_.grew = true;
    if (held) widen_element(node, type, *held);
  }
}

void Lowering::widen_element(const Node& node, const Type& list, const Type& type) {
  ListElement& known = element_of_lists(list);
  const std::optional<Type> both = known.type ? unify(*known.type, type) : type;
  const bool is_other = known.is_fixed && known.type && both && without_places(*both) != without_places(*known.type);
  if (!both || is_other)
    fail(node, format("an element is {} here, and {} elsewhere in the list", describe(type), describe(*known.type)),
         "one type for all elements of a list");
  join_lists(node, *both);
  if (known.type && *known.type == *both) return;
  known.type = *both;
  changed_ = known_.grew = true;
}

/// An element of a list to which nothing has been added yet is taken to be an integer until more is known.
Type Lowering::element_type(const Type& list) {
  const ListElement& known = element_of_lists(list);
  if (known.type) return *known.type;
  has_guessed_ = true;
  return Type::scalar(DType::int64);
}

Type Lowering::resolved(const Type& type) {
  Type all = type;
  if (type.kind == TypeKind::list) return {.kind = TypeKind::list, .elements = {resolved(element_type(type))}};
  for (Type& element : all.elements) element = resolved(element);
  return all;
}

// Memory.

ir::Value Lowering::number(int64_t value) const { return b.constant(Scalar::of_int(DType::int64, value)); }

ir::Value Lowering::load_word(ir::Value at) { return b.load(heap_of(DType::int64), std::vector{at}); }

void Lowering::store_word(ir::Value at, ir::Value word) { b.store(heap_of(DType::int64), word, std::vector{at}); }

ir::Value Lowering::list_field(const Item& list, int64_t field) {
  return load_word(b.add(list.values[0], number(field)));
}

ir::Value Lowering::list_length(const Item& list) {
  const ir::Value length = list_field(list, length_word);
  facts_.set_lower_bound(length, 0);
  return length;
}

void Lowering::set_list_length(const Item& list, ir::Value length) {
  store_word(b.add(list.values[0], number(length_word)), length);
}

/// What stands for a list, or for an array's memory, where there is none: an empty list.
ir::Value Lowering::no_list() {
  if (!std::exchange(known_.has_lists, true)) changed_ = true;
  return no_list_ == ir::no_value ? number(0) : no_list_;
}

void Lowering::begin_lists() {
  if (known_.has_lists) no_list_ = new_header(number(0), number(header_words + 2 * least_room), least_room);
}

/// Arrays in lists that are passed lie where those do that the function makes: in memory that begins at address 0.
void Lowering::complete_list_arguments() {
  for (auto& [place, known] : known_.lists)
    if (known.is_fixed && known.type) known.type = with_memory(*known.type);
}

Type Lowering::with_memory(const Type& type) {
  Type all = type;
  if (type.kind == TypeKind::buffer && !type.is_view) {
    const std::vector<ir::Value> extents(static_cast<size_t>(type.axes), number(0));
    return own_array(type.dtype, number(0), extents).type;
  }
  for (Type& element : all.elements) element = with_memory(element);
  return all;
}

/// A header and the room behind it: so many words.
ir::Value Lowering::new_header(ir::Value length, ir::Value words, int64_t room) {
  const std::vector<ir::Value> operands{words, number(static_cast<int64_t>(DType::int64))};
  const ir::Value header = b.call_host(static_cast<uint32_t>(HostFunction::allocate_zeros), operands);
  store_word(header, b.add(header, number(header_words)));
  store_word(b.add(header, number(length_word)), length);
  store_word(b.add(header, number(room_word)), number(room));
  return header;
}

Item Lowering::new_list(const Node& node, std::string_view what, size_t room) {
  if (!options_.is_function)
    refuse(node, "lists are not part of kernels", "a tuple, or cuda.local.array(shape, dtype)");
  no_list();
  const Place& at = node.place;
  Item list{{.kind = TypeKind::list}, {}};
  list.type.names = {
      format("{}{}:{}:{}-{}:{}{}", frame_->path, frame_->turn, at.line, at.column, at.end_line, at.end_column, what)};
  const int64_t length = std::max<int64_t>(least_room, static_cast<int64_t>(room));
  ListElement& known = element_of_lists(list.type);
  known.is_shared |= parallel_depth_ == 0;
  const int64_t words = header_words + length * std::max<int64_t>(1, known.type ? words_of(*known.type) : 1);
  list.values = {new_header(number(0), number(words), length)};
  return list;
}

/// A list of the elements of one that was written, or of a tuple.
Item Lowering::list_of(const Node& node, const Item& item, const std::string& what) {
  if (item.type.kind == TypeKind::list) return item;
  const size_t count = item.type.elements.size();
  const Item list = new_list(node, what, count);
  std::vector<Item> values;
  for (size_t k = 0; k < count; ++k) {
    const Item value = element(item, k);
    values.push_back(is_list(value) ? list_of(node, value, format("{}.{}", what, k)) : value);
    widen_element(node, list.type, element_kind(values[k]));
  }
  if (count == 0) return list;
  const Type type = element_type(list.type);
  const ir::Value data = list_field(list, data_word);
  for (size_t k = 0; k < count; ++k)
    store_element(b.add(data, number(static_cast<int64_t>(k) * words_of(type))), convert_element(values[k], type));
  set_list_length(list, number(static_cast<int64_t>(count)));
  return list;
}

bool Lowering::is_mixed_list(const Type& written) {
  const auto kind_of = [](const Type& type) {
    if (type.kind == TypeKind::tuple && type.is_list) return Type{.kind = TypeKind::list};
    return element_kind({type, {}});
  };
  std::optional<Type> common;
  for (size_t k = 0; k < written.elements.size(); ++k) {
    const Type one = kind_of(written.elements[k]);
    if (one.kind == TypeKind::entity) return true;
    common = k == 0 ? one : unify(*common, one);
    if (!common) return true;
  }
  return false;
}

/// Elements that are arrays are views, texts may be others later.
Type Lowering::element_kind(const Item& item) {
  if (is_text(item.type)) return {.kind = TypeKind::texts, .names = texts_of(item.type)};
  return item.type.is_array() ? as_view(item.type) : item.type;
}

Item Lowering::convert_element(const Item& item, const Type& type) {
  // While types grow nothing is built that runs.
  if (changed_ && item.type.kind != type.kind && !item.type.is_array()) return zero(type);
  return convert(item, type);
}

void Lowering::store_element(ir::Value at, const Item& value) {
  int64_t word = 0;
  const auto put = [&](ir::Value part) {
    const ir::Value bits =
        is_floating(b.type(part)) ? b.bitcast(b.cast(part, DType::float64), DType::int64) : b.cast(part, DType::int64);
    store_word(b.add(at, number(word++)), bits);
  };
  for (ir::Value part : value.values) {
    put(b.real(part));
    if (is_complex(b.type(part))) put(b.imag(part));
  }
}

Item Lowering::load_element(ir::Value at, const Type& type) {
  std::vector<DType> dtypes;
  append_scalars(type, dtypes);
  Item value{type, {}};
  int64_t word = 0;
  const auto get = [&](DType to) {
    const ir::Value bits = load_word(b.add(at, number(word++)));
    return b.cast(is_floating(to) ? b.bitcast(bits, DType::float64) : bits, to);
  };
  for (DType dtype : dtypes) {
    const DType real = real_dtype(dtype);
    const ir::Value first = get(real);
    value.values.push_back(is_complex(dtype) ? b.make_complex(first, get(real)) : first);
  }
  return value;
}

/// What stands for an element of a list that has none.
Item Lowering::no_element(const Type& type) {
  Item nothing = zero(type);
  if (!type.is_array()) return nothing;
  const int64_t size = itemsize(type.dtype);
  const ir::Value bytes = b.mul(no_list(), number(itemsize(DType::int64)));
  const ir::Value begin = b.div(b.cast(b.add(bytes, number(2 * itemsize(DType::int64))), DType::int64), number(size));
  size_t next = type.kind == TypeKind::choice ? 1 : 0;
  for (const Type& base : alternatives(type)) {
    if (base.is_heap) nothing.values[next] = b.cast(begin, DType::int64);
    next += static_cast<size_t>(base.base_axes);
  }
  return nothing;
}

// Elements.

/// Loops over lists look at the length anew.
void Lowering::note_list_change() {
  if (!std::exchange(known_.changes_lists, true)) changed_ = true;
}

Item Lowering::list_element(const Item& list, ir::Value k) {
  const Type type = element_type(list.type);
  return load_element(b.add(list_field(list, data_word), b.mul(k, number(words_of(type)))), type);
}

/// The place of an element, from the end where the index is negative; raises IndexError where it is outside.
ir::Value Lowering::list_place(const Node& node, const Item& list, const Item& index, std::string_view text) {
  if (!index.type.is_scalar() || !is_integer(index.type.dtype))
    fail(node, format("an index of a list is {}", describe(index.type)), "an integer, such as int(x)");
  const ir::Value length = list_length(list), at = within(index, length);
  ir::Value outside = b.ge(at, length);
  if (!facts_.is_non_negative(at)) outside = b.bit_or(outside, b.lt(at, number(0)));
  raise_if(node, outside, ExceptionNumber::index_error, text);
  return at;
}

Item Lowering::list_subscript(const Node& node, const Item& list, const Item& index) {
  if (index.type.kind == TypeKind::slice) return call_library(node, "list.slice", with_slice(list, index));
  return list_element(list, list_place(node, list, index, "list index out of range"));
}

/// A list, and where a slice begins, ends and what its step is, or None.
std::vector<Item> Lowering::with_slice(const Item& list, const Item& slice) const {
  return {list, element(slice, 0), element(slice, 1), element(slice, 2)};
}

void Lowering::store_in_list(const Node& node, const Item& list, const Item& index, const Item& given) {
  const Item value = is_list(given) ? list_of(node, given, "e") : in_memory(node, given);
  if (index.type.kind == TypeKind::slice) {
    std::vector<Item> arguments = with_slice(list, index);
    arguments.push_back(value);
    call_library(node, "list.set_slice", arguments);
    return;
  }
  widen_element(node, list.type, element_kind(value));
  const Type type = element_type(list.type);
  const ir::Value place = list_place(node, list, index, "list assignment index out of range");
  const ir::Value data = list_field(list, data_word);
  store_element(b.add(data, b.mul(place, number(words_of(type)))), convert_element(value, type));
  note_list_change();
}

void Lowering::append_to_list(const Node& node, const Item& list, const Item& given) {
  const ListElement& known = element_of_lists(list.type);
  if (parallel_depth_ > 0 && (known.is_shared || known.is_fixed))
    refuse(node, "append in prange to a list from before it",
           "a list that each iteration makes, or elements of an array");
  const Item value = is_list(given) ? list_of(node, given, "e") : in_memory(node, given);
  if (value.type.kind == TypeKind::none || (value.type.kind == TypeKind::entity && !is_text(value.type)))
    fail(node, format("{} in a list", describe(value.type)), "numbers, texts, tuples, arrays and lists");
  widen_element(node, list.type, element_kind(value));
  const Type type = element_type(list.type);
  const ir::Value words = number(words_of(type)), length = list_length(list), data = list_field(list, data_word),
                  room = list_field(list, room_word);
  const auto grown = [&](auto) {
    const ir::Value more = b.mul(room, number(2));
    const std::vector<ir::Value> operands{data, b.mul(length, words), b.mul(more, words)};
    const ir::Value moved = b.call_host(static_cast<uint32_t>(HostFunction::grow), operands);
    store_word(b.add(list.values[0], number(data_word)), moved);
    store_word(b.add(list.values[0], number(room_word)), more);
    return std::vector{moved};
  };
  const ir::Value place = b.if_(b.ge(length, room), grown, [&](auto) { return std::vector{data}; })[0];
  store_element(b.add(place, b.mul(length, words)), convert_element(value, type));
  set_list_length(list, b.add(length, number(1)));
  note_list_change();
}

/// Its elements as an array's: of a list of lists of equal lengths along several axes.
Item Lowering::array_of_list(const Node& node, const Item& list) {
  std::vector<ir::Value> extents{list_length(list)};
  Type type = element_type(list.type);
  Item level = list;
  while (type.kind == TypeKind::list) {
    const Item first{type,
                     {b.select(b.gt(extents.back(), number(0)), list_element(level, number(0)).values[0], no_list())}};
    extents.push_back(list_length(first));
    level = first;
    type = element_type(type);
  }
  if (type.is_array() && extents.size() == 1) return array_of_arrays(node, list, type);
  if (extents.size() > 1) call_library(node, "list.check_lengths", {list, scalar(extents[1])});
  const bool are_rows =
      type.kind == TypeKind::tuple && !type.elements.empty() && std::ranges::all_of(type.elements, &Type::is_scalar);
  if (are_rows) {
    Type common = type.elements[0];
    for (const Type& one : type.elements) common.dtype = promote(common.dtype, one.dtype);
    extents.push_back(number(static_cast<int64_t>(type.elements.size())));
    return computed(common.dtype, extents, [this, list, common](std::span<const ir::Value> at) {
      Item row = list;
      for (ir::Value k : at.first(at.size() - 1)) row = list_element(row, k);
      ir::Value chosen = cast(element(row, 0), common.dtype);
      for (size_t k = 1; k < row.type.elements.size(); ++k) {
        const ir::Value is_this = b.eq(at.back(), number(static_cast<int64_t>(k)));
        chosen = b.select(is_this, cast(element(row, k), common.dtype), chosen);
      }
      return scalar(chosen);
    });
  }
  if (type.is_array() || type.kind == TypeKind::tuple)
    refuse(node, format("an array of a list of {}", describe(type)), "a loop that stores the elements");
  if (!type.is_scalar()) fail(node, format("an array of a list of {}", describe(type)), "numbers in lists");
  return computed(type.dtype, extents, [this, list](std::span<const ir::Value> at) {
    Item one = list;
    for (ir::Value k : at) one = list_element(one, k);
    return one;
  });
}

/// Its elements' elements, along one more axis; the arrays are of one shape.
Item Lowering::array_of_arrays(const Node& node, const Item& list, const Type& array) {
  call_library(node, "list.check_shapes", {list});
  std::vector<ir::Value> extents{list_length(list)};
  const ir::Value is_there = b.gt(extents[0], number(0));
  const Item nothing = no_element(array), first = list_element(list, number(0));
  Item safe = first;
  for (size_t k = 0; k < safe.values.size(); ++k)
    safe.values[k] = b.select(is_there, first.values[k], nothing.values[k]);
  const Item shape = shape_of(safe);
  extents.insert(extents.end(), shape.values.begin(), shape.values.end());
  return computed(array.dtype, extents, [this, list](std::span<const ir::Value> at) {
    return element_of(list_element(list, at[0]), at.subspan(1));
  });
}

void Lowering::unpack_list(const Node& target, const Item& list) {
  const auto count = static_cast<int64_t>(target.operands.size());
  raise_if(target, b.ne(list_length(list), number(count)), ExceptionNumber::value_error,
           "the list does not have as many elements as there are names");
  for (int64_t k = 0; k < count; ++k)
    assign_target(target.operands[static_cast<size_t>(k)], list_subscript(target, list, constant(k)));
}

Item Lowering::list_argument(const Type& given) {
  const Type element = given.kind == TypeKind::list ? list_argument(given.elements.at(0)).type : given;
  Item list{{.kind = TypeKind::list}, {}};
  list.type.names = {format("argument {}", arguments_++)};
  ListElement& known = element_of_lists(list.type);
  if (!known.type) known.type = element;
  known.is_fixed = true;
  return list;
}

// Operations.

/// list(x) and sorted(x): the elements of what a loop may run over.
Item Lowering::lower_list_call(const Node& node) {
  const Item list = new_list(node);
  if (node.operands.size() == 1) return list;
  if (node.operands.size() != 2 + node.names.size()) fail(node, "list takes one sequence", "list(range(n))");
  const Sequence over = counted_from_zero(sequence_of(node.operands[1]));
  if (over.tuple) return list_of(node, *over.tuple, "t");
  const ir::Value count = b.max(over.range.upper, number(0));
  each_place_in_order(std::vector{number(0)}, std::vector{count},
                      [&](std::span<const ir::Value> at) { append_to_list(node, list, over.element(at[0])); });
  return list;
}

std::shared_ptr<const Function> Lowering::library_function(const Node& node, const std::string& name) {
  std::shared_ptr<const Function>& known = known_.library[name];
  if (!known) known = environment_.library_function(name);
  if (!known) refuse(node, format("{} is not part of functions", name));
  return known;
}

Item Lowering::call_library(const Node& node, const std::string& name, const std::vector<Item>& arguments) {
  return call_function(node, *library_function(node, name), arguments);
}

std::optional<Item> Lowering::binary_of_lists(const Node& node, std::string_view op, const Item& left,
                                              const Item& right) {
  if (!options_.is_function) return {};
  const bool any = left.type.kind == TypeKind::list || right.type.kind == TypeKind::list;
  if (op == "+" && is_list(left) && is_list(right) && any)
    return call_library(node, "list.concatenated", {list_of(node, left, "l"), list_of(node, right, "r")});
  const bool by_right = is_list(left) && right.type.is_scalar(), by_left = is_list(right) && left.type.is_scalar();
  if (op == "*" && (by_left || by_right)) {
    const Item &list = by_right ? left : right, &count = by_right ? right : left;
    if (!is_integer(count.type.dtype)) fail(node, format("a list times {}", describe(count.type)), "an integer");
    return call_library(node, "list.repeated", {list_of(node, list, ""), count});
  }
  return {};
}

std::optional<ir::Value> Lowering::compare_lists(const Node& node, std::string_view op, const Item& left,
                                                 const Item& right) {
  if (op == "in" || op == "not in") {
    if (right.type.kind != TypeKind::list) return {};
    const ir::Value found = truth(node, call_library(node, "list.contains", {right, left}));
    return op == "in" ? found : b.bit_not(found);
  }
  const bool any = left.type.kind == TypeKind::list || right.type.kind == TypeKind::list;
  if (!any || !is_list(left) || !is_list(right)) return {};
  const Item x = list_of(node, left, "l"), y = list_of(node, right, "r");
  if (op == "is" || op == "is not") return op == "is" ? b.eq(x.values[0], y.values[0]) : b.ne(x.values[0], y.values[0]);
  const bool negated = op == "!=" || op == ">" || op == ">=";
  const std::string which = op == "==" || op == "!=" ? "equal" : op == "<" || op == ">=" ? "less" : "less_equal";
  const ir::Value holds = truth(node, call_library(node, "list." + which, {x, y}));
  return negated ? b.bit_not(holds) : holds;
}

void Lowering::augment_list(const Node& statement, const Item& list, const Item& value) {
  if (statement.name == "+") {
    const Item more = is_list(value) ? list_of(statement, value, "") : in_memory(statement, value);
    call_library(statement, "list.extend", {list, more});
  } else if (statement.name == "*" && value.type.is_scalar()) {
    call_library(statement, "list.repeat", {list, value});
  } else {
    fail(statement, format("{}= of a list and {}", statement.name, describe(value.type)));
  }
}

void Lowering::shorten_list(const Item& list, ir::Value length) {
  set_list_length(list, length);
  note_list_change();
}

bool Lowering::is_written_list(const Item& item) { return item.type.kind == TypeKind::tuple && item.type.is_list; }

}  // namespace tessera::kernel
