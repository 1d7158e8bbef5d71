#include "tessera/kernel/values/text/string.h"

#include <algorithm>
#include <array>
#include <limits>

#include "tessera/kernel/host_routines.h"
#include "tessera/kernel/lower/calls/call.h"
#include "tessera/kernel/lower/calls/host.h"
#include "tessera/kernel/lower/lowering.h"
#include "tessera/kernel/lower/memory_words.h"
#include "tessera/kernel/lower/operator.h"
#include "tessera/kernel/lower/words.h"
#include "tessera/kernel/values/array/array.h"
#include "tessera/kernel/values/array/element.h"
#include "tessera/kernel/values/array/index.h"
#include "tessera/kernel/values/list/list.h"
#include "tessera/kernel/values/text/text.h"
#include "tessera/kernel/values/value_rules.h"

namespace tessera::kernel {

namespace {

/// What Python's texts and bytes do, by the host: t is a text, or of bytes bytes, i an integer, l a list of texts; the
/// result is one of these or a bool b.
struct TextMethod {
  std::string_view name, parameters;
  size_t needed;
  char result;
};

constexpr std::array<TextMethod, 45> text_methods{{
    {"__add__", "t", 1, 't'},      {"__mul__", "i", 1, 't'},      {"__contains__", "t", 1, 'b'},
    {"capitalize", "", 0, 't'},    {"casefold", "", 0, 't'},      {"center", "it", 1, 't'},
    {"count", "tii", 1, 'i'},      {"endswith", "tii", 1, 'b'},   {"expandtabs", "i", 0, 't'},
    {"find", "tii", 1, 'i'},       {"index", "tii", 1, 'i'},      {"isalnum", "", 0, 'b'},
    {"isalpha", "", 0, 'b'},       {"isascii", "", 0, 'b'},       {"isdecimal", "", 0, 'b'},
    {"isdigit", "", 0, 'b'},       {"isidentifier", "", 0, 'b'},  {"islower", "", 0, 'b'},
    {"isnumeric", "", 0, 'b'},     {"isprintable", "", 0, 'b'},   {"isspace", "", 0, 'b'},
    {"istitle", "", 0, 'b'},       {"isupper", "", 0, 'b'},       {"join", "l", 1, 't'},
    {"ljust", "it", 1, 't'},       {"lower", "", 0, 't'},         {"lstrip", "t", 0, 't'},
    {"removeprefix", "t", 1, 't'}, {"removesuffix", "t", 1, 't'}, {"replace", "tti", 2, 't'},
    {"rfind", "tii", 1, 'i'},      {"rindex", "tii", 1, 'i'},     {"rjust", "it", 1, 't'},
    {"rsplit", "ti", 0, 'l'},      {"rstrip", "t", 0, 't'},       {"split", "ti", 0, 'l'},
    {"splitlines", "i", 0, 'l'},   {"startswith", "tii", 1, 'b'}, {"strip", "t", 0, 't'},
    {"swapcase", "", 0, 't'},      {"title", "", 0, 't'},         {"upper", "", 0, 't'},
    {"zfill", "i", 1, 't'},        {"__int__", "", 0, 'i'},       {"__hash__", "", 0, 'i'},
}};
// That bytes do not have.
constexpr std::array<std::string_view, 6> only_of_texts{"casefold",  "isdecimal",   "isidentifier",
                                                        "isnumeric", "isprintable", "__int__"};

const Type& string_type() {
  static const Type type = TypeParts{.kind = TypeKind::string};
  return type;
}

ir::Value ask_text(Lowering& l, HostText what, std::vector<ir::Value> operands) {
  operands.insert(operands.begin(), l.number(static_cast<int64_t>(what)));
  return call_host(l, HostFunction::text, operands);
}

Item string_item(ir::Value header) { return {string_type(), {header}}; }

int64_t kind_of(char letter, bool is_bytes) {
  const HostTextOf kind = letter == 't'   ? is_bytes ? HostTextOf::bytes : HostTextOf::text
                          : letter == 'b' ? HostTextOf::boolean
                          : letter == 'l' ? is_bytes ? HostTextOf::bytes_list : HostTextOf::list
                                          : HostTextOf::integer;
  return static_cast<int64_t>(kind);
}

/// A list of texts in memory, which the host fills where it is empty.
Item text_list(Lowering& l, const Node& node, const Item& given, const Type& element) {
  if (is_characters(given.type)) {
    const Item list = l.lists.new_list(node, "joined");
    l.lists.widen_element(node, list.type, element);
    call_library(l, node, "list.extend", {list, given});
    return list;
  }
  Item list = list_of(l, node, given, "texts");
  if (list.type->kind != TypeKind::list || l.lists.element_type(list.type)->kind != TypeKind::string) {
    list = l.lists.new_list(node, "joined");
    l.lists.widen_element(node, list.type, element);
    call_library(l, node, "list.extend", {list, list_of(l, node, given, "texts")});
  }
  return list;
}

Item call_text(Lowering& l, const Node& node, const TextMethod& method, const std::vector<Item>& given) {
  const bool is_bytes = is_bytes_value(given[0].type);
  const auto describe_method = [&] { return format("{} of {}", method.name, is_bytes ? "bytes" : "a text"); };
  const Type type = is_bytes ? bytes_value_type(false) : string_type();
  if (is_bytes && std::ranges::find(only_of_texts, method.name) != only_of_texts.end())
    l.refuse(node, describe_method(), "str(x) first");
  std::vector<ir::Value> operands{l.number(intern_text(std::string(method.name))),
                                  l.number(kind_of(method.result, is_bytes)),
                                  l.number(static_cast<int64_t>(given.size()))};
  for (size_t k = 0; k < given.size(); ++k) {
    const char letter = k == 0 ? 't' : method.parameters[k - 1];
    Item item = given[k];
    if (letter == 'l') {
      item = text_list(l, node, item, type);
      if (is_bytes_value(l.lists.element_type(item.type)) != is_bytes)
        l.fail(node, format("{} gets {}", describe_method(), describe(given[k].type)), is_bytes ? "bytes" : "texts");
    } else if (item.type->kind == TypeKind::none) {
      operands.push_back(l.number(static_cast<int64_t>(HostTextOf::nothing)));
      operands.push_back(l.number(0));
      continue;
    } else if (letter == 't') {
      const std::optional<Item> text = string_of(l, item);
      if (!text || is_bytes_value(text->type) != is_bytes)
        l.fail(node, format("{} gets {}", describe_method(), describe(item.type)), is_bytes ? "bytes" : "a text");
      item = *text;
    } else if (!item.type.is_scalar() || is_floating(item.type->dtype) || is_complex(item.type->dtype)) {
      l.fail(node, format("{} gets {}", describe_method(), describe(item.type)), "an integer");
    }
    operands.push_back(l.number(kind_of(letter, is_bytes)));
    operands.push_back(letter == 'i' ? l.cast(item, DType::int64) : item.values[0]);
  }
  if (method.result == 'l') {
    const Item list = l.lists.new_list(node, "split");
    l.lists.widen_element(node, list.type, type);
    l.lists.note_change();
    operands.push_back(list.values[0]);
    ask_text(l, HostText::method, operands);
    return list;
  }
  const ir::Value result = ask_text(l, HostText::method, operands);
  if (method.result == 't') return {type, {result}};
  return method.result == 'b' ? l.scalar(l.b.ne(result, l.number(0))) : l.scalar(result);
}

/// An integer from 0 to 255.
Item byte_of(Lowering& l, const Item& bytes, ir::Value at) {
  ir::Builder& b = l.b;
  const ir::Value address = b.add(load_word(l, b.add(bytes.values[0], l.number(characters_word))), at);
  const Item all = own_array(l, DType::uint8, address, std::vector{l.number(1)});
  return l.scalar(l.cast(element_of(l, all, std::vector{l.number(0)}), DType::int64));
}

/// Whether two texts with as many characters are equal. Those that both have behind their headers are words.
ir::Value have_equal_characters(Lowering& l, ir::Value x, ir::Value y) {
  ir::Builder& b = l.b;
  const auto word = [&](ir::Value text, ir::Value k) { return load_word(l, b.add(text, k)); };
  const ir::Value own = l.number(own_word), bytes = l.number(sizeof(int64_t)), width = word(x, l.number(width_word));
  const auto has_own = [&](ir::Value text) {
    return b.eq(word(text, l.number(characters_word)), b.mul(b.add(text, own), bytes));
  };
  const auto compare_words = [&](auto) {
    const ir::Value size = b.mul(word(x, l.number(count_word)), width);
    const ir::Value up = b.add(size, l.number(sizeof(int64_t) - 1));
    const ir::Value end = b.add(own, b.binary(ir::Opcode::shift_right, up, l.number(3)));
    const auto goes_on = [&](std::span<const ir::Value> at) {
      const auto is_equal = [&](auto) { return std::vector{b.eq(word(x, at[0]), word(y, at[0]))}; };
      const auto ends = [&](auto) { return std::vector{b.constant(Scalar::of_bool(false))}; };
      return b.if_(b.lt(at[0], end), is_equal, ends);
    };
    const auto next = [&](std::span<const ir::Value> at) { return std::vector{b.add(at[0], l.number(1))}; };
    return std::vector{b.eq(b.while_(std::vector{own}, goes_on, next)[0], end)};
  };
  const auto ask = [&](auto) { return std::vector{b.eq(ask_text(l, HostText::compare, {x, y}), l.number(0))}; };
  const ir::Value are_alike = b.eq(width, word(y, l.number(width_word)));
  return b.if_(b.bit_and(are_alike, b.bit_and(has_own(x), has_own(y))), compare_words, ask)[0];
}

ir::Value are_equal(Lowering& l, ir::Value x, ir::Value y) {
  ir::Builder& b = l.b;
  const ir::Value is_same = b.eq(x, y), count = l.number(count_word);
  const ir::Value alike = b.eq(load_word(l, b.add(x, count)), load_word(l, b.add(y, count)));
  // Most texts that differ are not of one length.
  const auto compare = [&](auto) { return std::vector{have_equal_characters(l, x, y)}; };
  const auto known = [&](auto) { return std::vector{is_same}; };
  return b.if_(b.bit_and(b.bit_not(is_same), alike), compare, known)[0];
}

const TextMethod& text_method(std::string_view name) {
  return *std::ranges::find(text_methods, name, &TextMethod::name);
}

}  // namespace

void Strings::begin() {
  for (const std::string& text : l_.known->lists.texts)
    constants_[text] = ask_text(l_, HostText::constant, {l_.number(intern_text(text))});
}

ir::Value Strings::constant(const std::string& text) {
  if (!l_.known->lists.texts.contains(text)) l_.known.add().lists.texts.insert(text);
  const auto known = constants_.find(text);
  if (known != constants_.end()) return known->second;
  return ask_text(l_, HostText::constant, {l_.number(intern_text(text))});
}

ir::Value Strings::hash(const Item& text) {
  ir::Builder& b = l_.b;
  const ir::Value known = load_word(l_, b.add(text.values[0], l_.number(hash_word)));
  const auto compute = [&](auto) { return std::vector{ask_text(l_, HostText::hash, {text.values[0]})}; };
  return b.if_(b.eq(known, l_.number(0)), compute, [&](auto) { return std::vector{known}; })[0];
}

Item constant_bytes(Lowering& l, const std::string& bytes) {
  return {bytes_value_type(false), {ask_text(l, HostText::bytes, {l.number(intern_text(bytes))})}};
}

Item string_at(Lowering& l, const CharacterType& type, ir::Value address) {
  const ir::Value header = ask_text(
      l, HostText::element, {address, l.number(type.characters), l.number(type.width()), l.number(type.is_swapped)});
  return {type.is_bytes ? bytes_value_type(true) : string_type(), {header}};
}

ir::Value padded_string(Lowering& l, const CharacterType& type, const Item& text) {
  return ask_text(l, HostText::padded,
                  {text.values[0], l.number(type.characters), l.number(type.width()), l.number(type.is_swapped)});
}

Item text_of_string(Lowering& l, const Node& node, const Item& string) {
  // As Numba has it: of an element of an array each byte is a character.
  if (string.type == bytes_value_type(true)) return string_item(string.values[0]);
  if (is_bytes_value(string.type)) l.refuse(node, "str of bytes", "the text outside, or str of an element of an array");
  return string;
}

Item without_nuls(Lowering& l, const Node& node, const Item& text) {
  const std::string nul(1, '\0');
  const Item string = *string_of(l, text);
  const Item nuls = is_bytes_value(string.type) ? constant_bytes(l, nul) : string_item(l.strings.constant(nul));
  return call_text(l, node, text_method("rstrip"), {string, nuls});
}

Item python_hash(Lowering& l, const Node& node, const Item& text) {
  return call_text(l, node, text_method("__hash__"), {*string_of(l, text)});
}

Item code_of_text(Lowering& l, const Node& node, const Item& text) {
  const std::optional<Item> string = string_of(l, text);
  if (!string || is_bytes_value(string->type))
    l.fail(node, format("ord of {}", describe(text.type)), "a text of one character");
  l.failures.raise_if(node, l.b.ne(string_length(l, *string), l.number(1)), ExceptionNumber::type_error,
                      "ord() expected a character, but a string of another length was found");
  return l.scalar(ask_text(l, HostText::code, {string->values[0]}));
}

Item text_of_code(Lowering& l, const Node& node, const Item& code) {
  if (!code.type.is_scalar() || !(is_integer(code.type->dtype) || is_boolean(code.type->dtype)))
    l.fail(node, format("chr of {}", describe(code.type)), "an integer");
  constexpr int64_t characters = 0x110000;
  const ir::Value number = l.cast(code, DType::int64);
  const ir::Value outside = l.b.bit_or(l.b.lt(number, l.number(0)), l.b.ge(number, l.number(characters)));
  l.failures.raise_if(node, outside, ExceptionNumber::value_error, "chr() arg not in range(0x110000)");
  return string_item(ask_text(l, HostText::of_code, {number}));
}

bool is_any_text(const Type& type) { return is_text(type) || type->kind == TypeKind::string; }

std::optional<Item> string_of(Lowering& l, const Item& item) {
  ir::Builder& b = l.b;
  const Type& type = item.type;
  if (type->kind == TypeKind::string) return item;
  if (is_text(type)) {
    const std::vector<std::string> texts = texts_of(type);
    ir::Value chosen = l.strings.constant(texts[0]);
    for (size_t k = 1; k < texts.size(); ++k)
      chosen = b.select(b.eq(item.values[0], l.number(static_cast<int64_t>(k))), l.strings.constant(texts[k]), chosen);
    return string_item(chosen);
  }
  if (type->kind != TypeKind::formatted) return {};
  std::optional<Item> all;
  for (size_t k = 0; k < type->elements.size(); ++k) {
    const Item part = element(item, k);
    std::optional<Item> text = string_of(l, part);
    if (!text) {
      const DType dtype = part.type->dtype;
      const bool is_float = is_floating(dtype);
      const HostTextOf kind = is_float                     ? HostTextOf::floating
                              : is_boolean(dtype)          ? HostTextOf::boolean
                              : is_unsigned_integer(dtype) ? HostTextOf::unsigned_integer
                                                           : HostTextOf::integer;
      const ir::Value bits =
          is_float ? b.bitcast(l.cast(part, DType::float64), DType::int64) : l.cast(part, DType::int64);
      text = string_item(ask_text(l, HostText::number, {l.number(static_cast<int64_t>(kind)), bits}));
    }
    all = all ? call_text(l, l.frame->function.tree, text_method("__add__"), {*all, *text}) : text;
  }
  return all;
}

ir::Value string_length(Lowering& l, const Item& text) {
  const ir::Value length = load_word(l, l.b.add(text.values[0], l.number(count_word)));
  l.facts.set_lower_bound(length, 0);
  return length;
}

std::optional<Item> binary_of_strings(Lowering& l, const Node& node, std::string_view op, const Item& left,
                                      const Item& right) {
  const bool is_left = left.type->kind == TypeKind::string, is_right = right.type->kind == TypeKind::string;
  if (!is_left && !is_right) return {};
  const bool are_apart =
      is_any_text(left.type) && is_any_text(right.type) && is_bytes_value(left.type) != is_bytes_value(right.type);
  if (are_apart) l.fail(node, format("{} is not defined for {} and {}", op, describe(left.type), describe(right.type)));
  if (op == "+" && string_of(l, left) && string_of(l, right))
    return call_text(l, node, text_method("__add__"), {*string_of(l, left), *string_of(l, right)});
  if (op == "*") return call_text(l, node, text_method("__mul__"), {is_left ? left : right, is_left ? right : left});
  l.fail(node, format("{} is not defined for {} and {}", op, describe(left.type), describe(right.type)));
}

Item string_subscript(Lowering& l, const Node& node, const Item& text, const Item& index) {
  ir::Builder& b = l.b;
  if (index.type->kind == TypeKind::slice) {
    const Item bounds =
        call_library(l, node, "list.bounds",
                     {l.scalar(string_length(l, text)), element(index, 0), element(index, 1), element(index, 2)});
    const ir::Value part =
        ask_text(l, HostText::part,
                 {text.values[0], l.cast(element(bounds, 0), DType::int64), l.cast(element(bounds, 1), DType::int64),
                  l.cast(element(bounds, 2), DType::int64)});
    return is_bytes_value(text.type) ? Item{bytes_value_type(false), {part}} : string_item(part);
  }
  if (!index.type.is_scalar() || !is_integer(index.type->dtype))
    l.fail(node, format("a text's index is {}", describe(index.type)), "an integer");
  const ir::Value length = string_length(l, text), at = within(l, index, length);
  l.failures.raise_if(node, b.bit_or(b.lt(at, l.number(0)), b.ge(at, length)), ExceptionNumber::index_error,
                      is_bytes_value(text.type) ? "index out of range" : "string index out of range");
  if (is_bytes_value(text.type)) return byte_of(l, text, at);
  return string_item(ask_text(l, HostText::part, {text.values[0], at, b.add(at, l.number(1)), l.number(1)}));
}

namespace {

/// Those by name that Python has, too, in their place.
std::vector<Item> arguments_of_method(Lowering& l, const Node& node, const std::string& name) {
  const bool splits = name == "split" || name == "rsplit";
  if (node.names.empty()) return lower_positional(l, node, true);
  if (!splits && name != "expandtabs" && name != "splitlines")
    l.refuse(node, format("{} of a text with arguments by name", name), "arguments by place");
  const std::vector<std::string> names = splits
                                             ? std::vector<std::string>{"sep", "maxsplit"}
                                             : std::vector<std::string>{name == "expandtabs" ? "tabsize" : "keepends"};
  return arrange(l, node, name, names, 0, lower_positional(l, node, true)).args;
}

/// Of those that are written in Python: partitions, and beginnings and ends of several texts.
std::optional<Item> call_written_method(Lowering& l, const Node& node, const std::string& name, const Item& text) {
  const bool parts = name == "partition" || name == "rpartition", compares = name == "startswith" || name == "endswith";
  if (is_bytes_value(text.type) || !node.names.empty() || (!parts && !compares)) return {};
  std::vector<Item> given = lower_positional(l, node, true);
  if (compares && (given.empty() || given[0].type->kind != TypeKind::tuple)) return {};
  if (given.empty() || given.size() > (parts ? 1 : 3))
    l.fail(node,
           format("{} of a text takes {}, not {}", name, parts ? "an argument" : "1 to 3 arguments", given.size()));
  if (compares && given.size() < 2) given.push_back(l.constant(0));
  if (compares && given.size() < 3) given.push_back(l.constant(std::numeric_limits<int64_t>::max()));
  given.insert(given.begin(), text);
  return call_library(l, node, format("text.{}", name), given);
}

}  // namespace

namespace {

ir::Value compare_strings(Lowering& l, const Node& node, std::string_view op, const Item& left, const Item& right) {
  ir::Builder& b = l.b;
  const Item x = *string_of(l, left), y = *string_of(l, right);
  if (is_bytes_value(x.type) != is_bytes_value(y.type)) {
    if (op == "==" || op == "!=") return b.constant(Scalar::of_bool(op == "!="));
    l.fail(node, format("{} does not compare {} and {}", op, describe(x.type), describe(y.type)), "str(x)");
  }
  if (op == "in" || op == "not in") {
    const ir::Value found = truth(l, node, call_text(l, node, text_method("__contains__"), {y, x}));
    return op == "in" ? found : b.bit_not(found);
  }
  const bool is_equality = op == "==" || op == "!=" || op == "is" || op == "is not";
  if (is_equality) {
    const ir::Value same = are_equal(l, x.values[0], y.values[0]);
    return op == "==" || op == "is" ? same : b.bit_not(same);
  }
  const ir::Value order = ask_text(l, HostText::compare, {x.values[0], y.values[0]}), none = l.number(0);
  if (op == "<") return b.lt(order, none);
  if (op == "<=") return b.le(order, none);
  return op == ">" ? b.gt(order, none) : b.ge(order, none);
}

/// Its characters.
Sequence sequence_over_string(Lowering& l, const Item& text) {
  return {.range = {l.number(0), string_length(l, text), l.number(1)}, .element = [&l, text](ir::Value k) {
            const ir::Value one = l.number(1);
            if (is_bytes_value(text.type)) return byte_of(l, text, k);
            return string_item(ask_text(l, HostText::part, {text.values[0], k, l.b.add(k, one), one}));
          }};
}

/// A method of texts; nothing where texts that are known while compiling, and only such, are asked for what they have.
std::optional<Item> call_method_of_text(Lowering& l, const Node& node, const Item& text) {
  if (!l.options.is_function || (!is_any_text(text.type) && text.type->kind != TypeKind::formatted)) return {};
  const std::string& name = node.operands[0].name;
  if (const std::optional<Item> found = call_written_method(l, node, name, text)) return *found;
  const auto found = std::ranges::find(text_methods, name, &TextMethod::name);
  if (found == text_methods.end()) l.refuse(node, format("{} of a text", name), "the text's other methods");
  std::vector<Item> given = arguments_of_method(l, node, name);
  while (!given.empty() && given.back().type->kind == TypeKind::none) given.pop_back();
  if (given.size() < found->needed || given.size() > found->parameters.size())
    l.fail(node, format("{} of a text takes {} arguments, not {}", name, found->parameters.size(), given.size()));
  if (name == "split" && given.empty() && !is_bytes_value(text.type)) {
    const Item list = l.lists.new_list(node, "split");
    l.lists.widen_element(node, list.type, string_type());
    l.lists.note_change();
    ask_text(l, HostText::split, {string_of(l, text)->values[0], list.values[0]});
    return list;
  }
  given.insert(given.begin(), text);
  return call_text(l, node, *found, given);
}

bool is_formatted(const Item& item) { return item.type->kind == TypeKind::formatted; }

std::optional<ir::Value> truth_of_text(Lowering& l, const Node&, const Item& item) {
  if (!item.type.is_entity(EntityKind::text)) return {};
  return l.b.constant(Scalar::of_bool(!item.type->entity.name.empty()));
}

std::optional<ir::Value> length_of_text(Lowering& l, const Node& node, const Item& item) {
  if (is_text(item.type)) return text_length(l, node, item);
  if (item.type->kind != TypeKind::string && !is_formatted(item)) return {};
  return string_length(l, *string_of(l, item));
}

std::optional<Item> binary_of_any_texts(Lowering& l, const Node& node, std::string_view op, const Item& left,
                                        const Item& right) {
  if (const std::optional<Item> text = binary_of_strings(l, node, op, left, right)) return text;
  return binary_of_texts(l, node, op, left, right);
}

std::optional<ir::Value> compare_any_texts(Lowering& l, const Node& node, std::string_view op, const Item& left,
                                           const Item& right) {
  const bool is_string = left.type->kind == TypeKind::string || right.type->kind == TypeKind::string;
  if (is_string && is_any_text(left.type) && is_any_text(right.type)) return compare_strings(l, node, op, left, right);
  if (is_formatted(left) || is_formatted(right))
    l.refuse(node, "a text that is made of numbers is compared",
             "the numbers, or print, raise and return for the text");
  if (is_text(left.type) && is_text(right.type)) return compare_texts(l, node, op, left, right);
  return {};
}

std::optional<Item> subscript_of_text(Lowering& l, const Node& node, const Item& object, const Item& index) {
  if (is_text(object.type)) return text_subscript(l, node, object, index);
  return object.type->kind == TypeKind::string ? std::optional(string_subscript(l, node, object, index)) : std::nullopt;
}

std::optional<Sequence> sequence_over_text(Lowering& l, const Node& node, const Item& items) {
  if (items.type->kind == TypeKind::string) return sequence_over_string(l, items);
  if (items.type->kind == TypeKind::texts && l.options.is_function)
    return sequence_over_string(l, *string_of(l, items));
  return is_text(items.type) ? std::optional(Sequence{.tuple = characters(l, node, items)}) : std::nullopt;
}

/// str, repr and bytes.
std::optional<Item> make_text(Lowering& l, const Node& node, std::string_view function) {
  if (function == "builtins.str" || function == "builtins.repr") {
    if (node.operands.size() == 1 && function == "builtins.str") return text_item("");
    const std::string named = dotted_name(node.operands[0]).value_or("this");
    const Call call = arrange(l, node, named, {"object"}, 1, lower_positional(l, node, true));
    if (const auto text = ask_values(&ValueRules::builtin, l, node, function, call.args)) return text;
    return text_of_value(l, node, call.args[0], function == "builtins.repr");
  }
  if (function != "builtins.bytes" || !l.options.is_function) return {};
  const Item bytes = arrange(l, node, "bytes", {"object"}, 1, lower_positional(l, node, true)).args[0];
  if (!is_bytes_value(bytes.type)) l.refuse(node, format("bytes of {}", describe(bytes.type)), "bytes of bytes");
  return Item{bytes_value_type(false), bytes.values};
}

std::optional<Item> hash_of_text(Lowering& l, const Node& node, std::string_view name,
                                 const std::vector<Item>& arguments) {
  const bool is_one = name == "builtins.hash" && is_any_text(arguments[0].type) && l.options.is_function;
  return is_one ? std::optional(python_hash(l, node, arguments[0])) : std::nullopt;
}

std::optional<Item> convert_to_text(Lowering& l, const Item& item, const Type& type) {
  if (type->kind == TypeKind::string) return Item{type, string_of(l, item).value_or(l.zero(type)).values};
  if (type->kind != TypeKind::texts) return {};
  return is_text(item.type) ? convert_text(l, item, type) : l.zero(type);
}

}  // namespace

const ValueRules text_rules{.truth = truth_of_text,
                            .length = length_of_text,
                            .binary = binary_of_any_texts,
                            .compare = compare_any_texts,
                            .subscript = subscript_of_text,
                            .iterate = sequence_over_text,
                            .method = call_method_of_text,
                            .call = make_text,
                            .builtin = hash_of_text,
                            .convert = convert_to_text};

}  // namespace tessera::kernel
