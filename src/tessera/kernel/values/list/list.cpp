// Lists of functions that the host calls. A list is the address, in words, of its header: where its elements are, how
// many they are and for how many there is room. An element is a word for each of its scalars, two for complex ones.
#include "tessera/kernel/values/list/list.h"

#include <algorithm>

#include "tessera/ir/builder_expand.h"
#include "tessera/kernel/builtins/builtins.h"
#include "tessera/kernel/host_routines.h"
#include "tessera/kernel/lower/calls/call.h"
#include "tessera/kernel/lower/calls/function.h"
#include "tessera/kernel/lower/loops/sequence.h"
#include "tessera/kernel/lower/lowering.h"
#include "tessera/kernel/lower/memory_words.h"
#include "tessera/kernel/lower/operator.h"
#include "tessera/kernel/lower/statement.h"
#include "tessera/kernel/lower/words.h"
#include "tessera/kernel/types/conversion.h"
#include "tessera/kernel/values/array/array.h"
#include "tessera/kernel/values/array/element.h"
#include "tessera/kernel/values/array/index.h"
#include "tessera/kernel/values/array/whole.h"
#include "tessera/kernel/values/generator/generator.h"
#include "tessera/kernel/values/object/object.h"
#include "tessera/kernel/values/table/table.h"
#include "tessera/kernel/values/value_rules.h"

namespace tessera::kernel {

namespace {

constexpr int64_t data_word = 0, length_word = 1, room_word = 2, header_words = 3, least_room = 4;

bool is_typed_list(const Type& type) { return type->kind == TypeKind::list && !type->names.empty(); }

/// The kind of a container as types within a function have it, where what is known of its place says the rest.
TypeParts without_mark(const Type& container) {
  TypeParts made{.kind = container->kind, .names = container->names};
  if (container->kind == TypeKind::list) made.names.clear();
  return made;
}

/// Without where its lists were made.
Type without_places(const Type& type) {
  if (type.is_container()) return without_mark(type);
  return with_elements(type, without_places);
}

ir::Value list_field(Lowering& l, const Item& list, int64_t field) {
  return load_word(l, l.b.add(list.values[0], l.number(field)));
}

void set_list_length(Lowering& l, const Item& list, ir::Value length) {
  store_word(l, l.b.add(list.values[0], l.number(length_word)), length);
}

/// A header of so many words and, behind it, room for elements of `each` words.
ir::Value new_header(Lowering& l, int64_t front, int64_t each, int64_t room) {
  ir::Builder& b = l.b;
  const std::vector<ir::Value> operands{l.number(front + room * each), l.number(container_words)};
  const ir::Value header = b.call_host(static_cast<uint32_t>(HostFunction::allocate_zeros), operands),
                  length = l.number(0);
  store_word(l, header, b.add(header, l.number(front)));
  store_word(l, b.add(header, l.number(length_word)), length);
  store_word(l, b.add(header, l.number(room_word)), l.number(room));
  return header;
}

/// Elements that are arrays are views, texts may be others later.
Type element_kind(const Item& item) {
  if (is_text(item.type)) return TypeParts{.kind = TypeKind::texts, .names = texts_of(item.type)};
  if (item.type->kind == TypeKind::entity && is_function_value(item.type)) return type_of_functions({item.type});
  return item.type.is_array() ? as_view(item.type) : item.type;
}

/// Whether texts in memory are in values of the type, not in containers in it.
bool holds_strings(const Type& type) {
  if (type->kind == TypeKind::string) return true;
  return !type.is_container() && std::ranges::any_of(type->elements, holds_strings);
}

/// What stands for an element of a list that has none.
Item no_element(Lowering& l, const Type& type) {
  ir::Builder& b = l.b;
  Item nothing = l.zero(type);
  if (!type.is_array()) return nothing;
  const int64_t size = itemsize(type->dtype);
  const ir::Value bytes = b.mul(l.lists.no_list(), l.number(itemsize(DType::int64)));
  const ir::Value begin =
      b.div(b.cast(b.add(bytes, l.number(2 * itemsize(DType::int64))), DType::int64), l.number(size));
  size_t next = type->kind == TypeKind::choice ? 1 : 0;
  for (const Type& base : alternatives(type)) {
    if (base->is_heap) nothing.values[next] = b.cast(begin, DType::int64);
    next += static_cast<size_t>(base->base_axes);
  }
  return nothing;
}

/// The place of an element, from the end where the index is negative; raises IndexError where it is outside.
ir::Value list_place(Lowering& l, const Node& node, const Item& list, const Item& index, std::string_view text) {
  ir::Builder& b = l.b;
  if (!index.type.is_scalar() || !is_integer(index.type->dtype))
    l.fail(node, format("an index of a list is {}", describe(index.type)), "an integer, such as int(x)");
  const ir::Value length = list_length(l, list), at = within(l, index, length);
  ir::Value outside = b.ge(at, length);
  if (!l.facts.is_non_negative(at)) outside = b.bit_or(outside, b.lt(at, l.number(0)));
  l.failures.raise_if(node, outside, ExceptionNumber::index_error, text);
  return at;
}

/// A list, and where a slice begins, ends and what its step is, or None.
std::vector<Item> with_slice(const Item& list, const Item& slice) {
  return {list, element(slice, 0), element(slice, 1), element(slice, 2)};
}

/// A list that was made of one is of numba.typed's if that is.
Item typed_like(Lowering& l, const Item& list, Item made) {
  if (list.type->kind == TypeKind::list && l.lists.element_of_lists(list.type).is_typed) l.lists.set_typed(made.type);
  return made;
}

/// Its elements' elements, along one more axis; the arrays are of one shape.
Item array_of_arrays(Lowering& l, const Node& node, const Item& list, const Type& array) {
  ir::Builder& b = l.b;
  call_library(l, node, "list.check_shapes", {list});
  std::vector<ir::Value> extents{list_length(l, list)};
  const ir::Value is_there = b.gt(extents[0], l.number(0));
  const Item nothing = no_element(l, array), first = list_element(l, list, l.number(0));
  Item safe = first;
  for (size_t k = 0; k < safe.values.size(); ++k)
    safe.values[k] = b.select(is_there, first.values[k], nothing.values[k]);
  const Item shape = shape_of(l, safe);
  extents.insert(extents.end(), shape.values.begin(), shape.values.end());
  return computed(array->dtype, extents, [&l, list](std::span<const ir::Value> at) {
    return element_of(l, list_element(l, list, at[0]), at.subspan(1));
  });
}

}  // namespace

Lists::Lists(Lowering& l) : l_(l), b(l.b) {}

bool is_list(const Item& item) {
  return item.type->kind == TypeKind::list || (item.type->kind == TypeKind::tuple && item.type->is_list);
}

/// The place under which the elements of lists that were made there, and of those joined with them, are known.
typed::PathNumber Lists::place_of(typed::PathNumber made) {
  auto found = l_.known->lists.elements.find(made);
  if (found == l_.known->lists.elements.end()) found = l_.known.add().lists.elements.try_emplace(made).first;
  return found->second.joined == 0 ? made : place_of(found->second.joined);
}

const typed::ListElement& Lists::element_of_lists(const Type& list) {
  return l_.known->lists.elements.at(place_of(list->places.at(0)));
}

/// Lists that one variable or element may be hold elements of one type.
void Lists::join_lists(const Node& node, const Type& type) {
  for (const Type& element : type->elements) join_lists(node, element);
  if (!type.is_container()) return;
  for (size_t k = 1; k < type->places.size(); ++k) {
    const typed::PathNumber first = place_of(type->places[0]), other = place_of(type->places[k]);
    if (first == other) continue;
    auto& elements = l_.known.grow().lists.elements;
    const std::optional<Type> held = elements[other].type, known = elements[first].type;
    // What is in memory already is not converted.
    if (elements[other].is_fixed && held && known && without_places(*held) != without_places(*known))
      l_.fail(node, format("one of two lists is of {}, the other of {}", describe(*known), describe(*held)),
              "one type for the elements of both");
    elements[first].is_fixed |= elements[other].is_fixed;
    elements[first].is_typed |= elements[other].is_typed;
    elements[other].joined = type->places[0];
    if (held) widen_element(node, type, *held);
  }
}

bool takes_number(DType from, DType to) {
  if (is_complex(from)) return is_complex(to);
  if (is_floating(from)) return is_floating(to) || is_complex(to);
  return true;
}

Type Lists::kind_to_add(const Type& list, const Item& value) {
  const Type kind = element_kind(value);
  const typed::ListElement& known = element_of_lists(list);
  if (!known.is_fixed || !known.type) return kind;
  const Type& fixed = *known.type;
  const bool converts = fixed.is_scalar() && kind.is_scalar() && takes_number(kind->dtype, fixed->dtype);
  const bool becomes_text = fixed->kind == TypeKind::string && is_text(kind);
  return converts || becomes_text || fixed->kind == TypeKind::optional ? fixed : kind;
}

/// Whether containers that were made there are in what is of this type.
bool Lists::holds(const Type& type, typed::PathNumber place) {
  if (!type.is_container())
    return std::ranges::any_of(type->elements, [&](const Type& element) { return holds(element, place); });
  if (std::ranges::any_of(type->places, [&](typed::PathNumber one) { return place_of(one) == place; })) return true;
  const typed::ListElement& known = element_of_lists(type);
  return known.type && holds(*known.type, place);
}

void Lists::widen_element(const Node& node, const Type& list, const Type& type) {
  if (holds(type, place_of(list->places.at(0))))
    l_.fail(node, format("a {} that holds itself", describe(list)), "a copy of it");
  const typed::ListElement& known = element_of_lists(list);
  const std::optional<Type> both = known.type ? unify(*known.type, type) : type;
  const bool is_other = known.is_fixed && known.type && both && without_places(*both) != without_places(*known.type);
  if (!both || is_other)
    l_.fail(node, format("an element is {} here, and {} elsewhere in the list", describe(type), describe(*known.type)),
            "one type for all elements of a list");
  join_lists(node, *both);
  if (known.type && *known.type == *both) return;
  l_.known.grow().lists.elements[place_of(list->places.at(0))].type = *both;
}

/// Elements of a list to which nothing is added anywhere are integers.
Type Lists::element_type(const Type& list) {
  const typed::ListElement& known = element_of_lists(list);
  if (known.type) return *known.type;
  if (!l_.known->lists.takes_integers) l_.known.want_element();
  const Type integer = Type::scalar(DType::int64);
  if (list->kind == TypeKind::list) return integer;
  return Type::tuple(std::vector<Type>(list->kind == TypeKind::dict ? 3 : 2, integer));
}

Type Lists::resolved(const Type& type) {
  if (type.is_container()) {
    TypeParts made{.kind = type->kind, .elements = {resolved(element_type(type))}, .names = type->names};
    if (type->kind == TypeKind::list && element_of_lists(type).is_typed) made.names = {std::string(typed_list)};
    return made;
  }
  return with_elements(type, [this](const Type& element) { return resolved(element); });
}

Type Lists::resolved_if_known(const Type& type) {
  const auto is_known = [this](const auto& self, const Type& one) -> bool {
    if (!one.is_container()) return std::ranges::all_of(one->elements, [&](const Type& e) { return self(self, e); });
    const typed::ListElement& known = element_of_lists(one);
    return l_.known->lists.takes_integers || (known.type && self(self, *known.type));
  };
  return is_known(is_known, type) ? resolved(type) : type;
}

ir::Value list_length(Lowering& l, const Item& list) {
  const ir::Value length = list_field(l, list, length_word);
  l.facts.set_lower_bound(length, 0);
  return length;
}

/// What stands for a list, or for an array's memory, where there is none: an empty list.
ir::Value Lists::no_list() {
  if (!l_.known->lists.has_any) l_.known.change().lists.has_any = true;
  return no_list_ == ir::no_value ? l_.number(0) : no_list_;
}

void Lists::begin() {
  if (l_.known->lists.has_any) no_list_ = begin_table(l_, new_header(l_, table_front, 2, least_room));
}

/// Arrays in lists that are passed lie where those do that the function makes: in memory that begins at address 0.
void Lists::complete_arguments() {
  for (const auto& [place, known] : l_.known->lists.elements) {
    if (!known.is_fixed || !known.type) continue;
    Type type = with_memory(*known.type);
    if (type != *known.type) l_.known.add().lists.elements[place].type = std::move(type);
  }
}

/// The same of elements of one container, and of those in it.
void Lists::complete_elements(const Type& type) {
  for (const Type& element : type->elements) complete_elements(element);
  if (!type.is_container()) return;
  const typed::ListElement& known = element_of_lists(type);
  if (!known.type) return;
  Type element = with_memory(*known.type);
  complete_elements(element);
  if (element != *known.type) l_.known.add().lists.elements[place_of(type->places.at(0))].type = std::move(element);
}

Type Lists::with_memory(const Type& type) {
  if (type->kind == TypeKind::buffer && !type->is_view) {
    const std::vector<ir::Value> extents(static_cast<size_t>(type->axes), l_.number(0));
    return own_array(l_, type->dtype, l_.number(0), extents).type;
  }
  return with_elements(type, [this](const Type& element) { return with_memory(element); });
}

Item Lists::new_list(const Node& node, std::string_view what, size_t room) {
  return new_container(node, {.kind = TypeKind::list}, what, room);
}

Item Lists::new_container(const Node& node, TypeParts kind, std::string_view what, size_t room) {
  const bool is_list = kind.kind == TypeKind::list;
  if (!l_.options.is_function)
    l_.refuse(node, is_list ? "lists are not part of kernels" : "dicts and sets are not part of kernels",
              "a tuple, or cuda.local.array(shape, dtype)");
  no_list();
  kind.places = {l_.known.path(l_.frame->turn, node.place, intern_text(std::string(what)))};
  Item made{kind, {}};
  const int64_t length = std::max<int64_t>(least_room, static_cast<int64_t>(room));
  const typed::ListElement& known = element_of_lists(made.type);
  if (!known.is_shared && l_.parallel.depth() == 0)
    l_.known.add().lists.elements[place_of(made.type->places[0])].is_shared = true;
  const int64_t each = std::max<int64_t>(1, known.type ? words_of_type(*known.type) : 1);
  const ir::Value header = new_header(l_, is_list ? header_words : table_front, each, length);
  made.values = {is_list ? header : begin_table(l_, header)};
  return made;
}

/// A list of the elements of one that was written, or of a tuple.
Item list_of(Lowering& l, const Node& node, const Item& item, const std::string& what) {
  if (item.type->kind == TypeKind::list) return item;
  const size_t count = item.type->elements.size();
  const Item list = l.lists.new_list(node, what, count);
  std::vector<Item> values;
  for (size_t k = 0; k < count; ++k) {
    const Item value = element(item, k);
    values.push_back(is_list(value) ? list_of(l, node, value, format("{}.{}", what, k)) : value);
    l.lists.widen_element(node, list.type, element_kind(values[k]));
  }
  if (count == 0) return list;
  const Type type = l.lists.element_type(list.type);
  const ir::Value data = list_field(l, list, data_word);
  for (size_t k = 0; k < count; ++k)
    store_element(l, l.b.add(data, l.number(static_cast<int64_t>(k) * words_of_type(type))),
                  l.lists.convert_element(values[k], type));
  set_list_length(l, list, l.number(static_cast<int64_t>(count)));
  return list;
}

bool is_mixed_list(const Type& written) {
  const auto kind_of = [](const Type& type) {
    const bool is_list = type->kind == TypeKind::tuple && type->is_list;
    return is_list ? Type(TypeParts{.kind = TypeKind::list}) : element_kind({type, {}});
  };
  std::optional<Type> common;
  for (size_t k = 0; k < written->elements.size(); ++k) {
    const Type one = kind_of(written->elements[k]);
    if (one->kind == TypeKind::entity) return true;
    common = k == 0 ? one : unify(*common, one);
    if (!common) return true;
  }
  return false;
}

Item Lists::convert_element(const Item& item, const Type& type) {
  // While types grow nothing is built that runs.
  if (l_.known.is_changed() && item.type->kind != type->kind && !item.type.is_array()) return l_.zero(type);
  return l_.convert(item, type);
}

/// Loops over lists look at the length anew.
void Lists::note_change() {
  if (!l_.known->lists.changes_any) l_.known.change().lists.changes_any = true;
}

Item list_element(Lowering& l, const Item& list, ir::Value k) {
  ir::Builder& b = l.b;
  const Type type = l.lists.element_type(list.type);
  return load_element(l, b.add(list_field(l, list, data_word), b.mul(k, l.number(words_of_type(type)))), type);
}

void store_in_list(Lowering& l, const Node& node, const Item& list, const Item& index, const Item& given) {
  ir::Builder& b = l.b;
  const bool is_slice = index.type->kind == TypeKind::slice;
  const Item kept = is_list(given) ? list_of(l, node, given, "e") : l.in_memory(node, given);
  const Item value = is_slice || is_list(given) ? kept : l.lists.fitted(node, list.type, kept);
  if (is_slice) {
    std::vector<Item> arguments = with_slice(list, index);
    arguments.push_back(value);
    call_library(l, node, "list.set_slice", arguments);
    return;
  }
  l.lists.widen_element(node, list.type, l.lists.kind_to_add(list.type, value));
  const Type type = l.lists.element_type(list.type);
  const ir::Value place = list_place(l, node, list, index, "list assignment index out of range");
  const ir::Value data = list_field(l, list, data_word);
  store_element(l, b.add(data, b.mul(place, l.number(words_of_type(type)))), l.lists.convert_element(value, type));
  l.lists.note_change();
}

Item Lists::fitted(const Node& node, const Type& list, const Item& value) {
  const typed::ListElement& known = element_of_lists(list);
  if (!known.is_fixed || !known.type) return value;
  const Type& type = *known.type;
  if (holds_strings(type)) return stored(l_, node, value, "s");
  const bool lies_elsewhere = type.is_array() && type->is_heap && value.type.is_array() && !value.type->is_heap;
  const bool fits = lies_elsewhere && type->dtype == value.type->dtype && type->axes == value.type->axes;
  return fits ? array_for_field(l_, node, value, type) : value;
}

void Lists::append(const Node& node, const Item& list, const Item& given) {
  const typed::ListElement& known = element_of_lists(list.type);
  // Functions that call themselves may be called in iterations, where there are any that run on several threads.
  if (l_.parallel.depth() > 0 && l_.options.is_parallel && known.is_shared)
    l_.refuse(node, "append in prange to a list from before it",
              "a list that each iteration makes, or elements of an array");
  const Item value =
      is_list(given) ? list_of(l_, node, given, "e") : fitted(node, list.type, l_.in_memory(node, given));
  if (value.type->kind == TypeKind::entity && !is_text(value.type) && !is_function_value(value.type))
    l_.fail(node, format("{} in a list", describe(value.type)), "numbers, texts, tuples, arrays, functions and lists");
  widen_element(node, list.type, kind_to_add(list.type, value));
  const Type type = element_type(list.type);
  const ir::Value words = l_.number(words_of_type(type)), length = list_length(l_, list),
                  data = list_field(l_, list, data_word), room = list_field(l_, list, room_word);
  const auto grown = [&](auto) {
    const ir::Value more = b.mul(room, l_.number(2));
    const std::vector<ir::Value> operands{data, b.mul(length, words), b.mul(more, words),
                                          l_.number(holds_addresses(type) ? 0 : 1)};
    const ir::Value moved = b.call_host(static_cast<uint32_t>(HostFunction::grow), operands);
    store_word(l_, b.add(list.values[0], l_.number(data_word)), moved);
    store_word(l_, b.add(list.values[0], l_.number(room_word)), more);
    return std::vector{moved};
  };
  const ir::Value place = b.if_(b.ge(length, room), grown, [&](auto) { return std::vector{data}; })[0];
  store_element(l_, b.add(place, b.mul(length, words)), convert_element(value, type));
  set_list_length(l_, list, b.add(length, l_.number(1)));
  note_change();
}

/// Its elements as an array's: of a list of lists of equal lengths along several axes.
Item array_of_list(Lowering& l, const Node& node, const Item& list) {
  ir::Builder& b = l.b;
  std::vector<ir::Value> extents{list_length(l, list)};
  Type type = l.lists.element_type(list.type);
  Item level = list;
  while (type->kind == TypeKind::list) {
    const Item first{type,
                     {b.select(b.gt(extents.back(), l.number(0)), list_element(l, level, l.number(0)).values[0],
                               l.lists.no_list())}};
    extents.push_back(list_length(l, first));
    level = first;
    type = l.lists.element_type(type);
  }
  if (type.is_array() && extents.size() == 1) return array_of_arrays(l, node, list, type);
  if (extents.size() > 1) call_library(l, node, "list.check_lengths", {list, l.scalar(extents[1])});
  const bool are_rows =
      type->kind == TypeKind::tuple && !type->elements.empty() && std::ranges::all_of(type->elements, &Type::is_scalar);
  if (are_rows) {
    DType common = type->elements[0]->dtype;
    for (const Type& one : type->elements) common = promote(common, one->dtype);
    extents.push_back(l.number(static_cast<int64_t>(type->elements.size())));
    return computed(common, extents, [&l, list, common](std::span<const ir::Value> at) {
      Item row = list;
      for (ir::Value k : at.first(at.size() - 1)) row = list_element(l, row, k);
      ir::Value chosen = l.cast(element(row, 0), common);
      for (size_t k = 1; k < row.type->elements.size(); ++k) {
        const ir::Value is_this = l.b.eq(at.back(), l.number(static_cast<int64_t>(k)));
        chosen = l.b.select(is_this, l.cast(element(row, k), common), chosen);
      }
      return l.scalar(chosen);
    });
  }
  if (type.is_array() || type->kind == TypeKind::tuple)
    l.refuse(node, format("an array of a list of {}", describe(type)), "a loop that stores the elements");
  if (!type.is_scalar()) l.fail(node, format("an array of a list of {}", describe(type)), "numbers in lists");
  return computed(type->dtype, extents, [&l, list](std::span<const ir::Value> at) {
    Item one = list;
    for (ir::Value k : at) one = list_element(l, one, k);
    return one;
  });
}

void unpack_list(Lowering& l, const Node& target, const Item& list) {
  const auto count = static_cast<int64_t>(target.operands.size());
  l.failures.raise_if(target, l.b.ne(list_length(l, list), l.number(count)), ExceptionNumber::value_error,
                      "the list does not have as many elements as there are names");
  for (int64_t k = 0; k < count; ++k)
    assign_target(l, target.operands[static_cast<size_t>(k)], subscript(l, target, list, l.constant(k)));
}

Item Lists::argument(const Type& given) {
  TypeParts container = without_mark(given);
  container.places = {l_.known.path(0, Place{}, -++arguments_)};
  const Item made{container, {}};
  if (is_typed_list(given)) set_typed(made.type);
  fix_element(made.type,
              with_places(given->elements.at(0), [this] { return l_.known.path(0, Place{}, -++arguments_); }));
  if (!element_of_lists(made.type).is_shared)
    l_.known.add().lists.elements[place_of(made.type->places[0])].is_shared = true;
  return made;
}

void Lists::set_typed(const Type& list) {
  if (element_of_lists(list).is_typed) return;
  l_.known.add().lists.elements[place_of(list->places[0])].is_typed = true;
}

/// Elements are of this type, whatever is added.
void Lists::fix_element(const Type& container, const Type& element) {
  if (element_of_lists(container).is_fixed) return;
  typed::ListElement& added = l_.known.add().lists.elements[place_of(container->places[0])];
  if (!added.type) added.type = element;
  added.is_fixed = true;
}

/// The type with containers in it known, each at a path of its own.
Type Lists::with_places(const Type& type, const std::function<typed::PathNumber()>& next) {
  if (!type.is_container()) return with_elements(type, [&](const Type& element) { return with_places(element, next); });
  TypeParts container = without_mark(type);
  container.places = {next()};
  if (is_typed_list(type)) set_typed(container);
  fix_element(container, with_places(type->elements.at(0), next));
  if (!element_of_lists(container).is_shared)
    l_.known.add().lists.elements[place_of(container.places[0])].is_shared = true;
  return container;
}

Item Lists::declared(const Node& node, const Type& given) {
  int64_t number = 0;
  const auto next = [&] {
    return l_.known.path(l_.known.path(l_.frame->turn, node.place, intern_text("declared")), node.place, ++number);
  };
  const Type made = with_memory(with_places(given, next));
  complete_elements(made);
  return {made, {}};
}

std::shared_ptr<const Function> find_library(Lowering& l, const std::string& name) {
  const auto found = l.known->names.library.find(name);
  if (found != l.known->names.library.end()) return found->second;
  return l.known.add().names.library[name] = l.environment.library_function(name);
}

std::shared_ptr<const Function> library_function(Lowering& l, const Node& node, const std::string& name) {
  const std::shared_ptr<const Function> known = find_library(l, name);
  if (!known) l.refuse(node, format("{} is not part of functions", name));
  return known;
}

Item call_library(Lowering& l, const Node& node, const std::string& name, const std::vector<Item>& arguments) {
  const std::shared_ptr<const Function> function = library_function(l, node, name);
  if (function->rest < 0) return call_function(l, node, *function, arguments);
  std::vector<Item> given(arguments.begin(), arguments.begin() + function->rest);
  given.push_back(tuple_of({arguments.begin() + function->rest, arguments.end()}));
  return call_function(l, node, *function, given);
}

void shorten_list(Lowering& l, const Item& list, ir::Value length) {
  set_list_length(l, list, length);
  l.lists.note_change();
}

bool is_written_list(const Item& item) { return item.type->kind == TypeKind::tuple && item.type->is_list; }

/// A list that is not there is empty.
void set_no_lists(Lowering& l, const Type& type, std::span<ir::Value> values) {
  if (type.is_container()) values[0] = l.lists.no_list();
  if (type->kind == TypeKind::string) values[0] = l.strings.constant("");
  if (type->is_view) return;
  size_t first = type->kind == TypeKind::optional ? 1 : 0;
  for (const Type& element : type->elements) {
    std::vector<DType> dtypes;
    append_scalars(element, dtypes);
    set_no_lists(l, element, values.subspan(first, dtypes.size()));
    first += dtypes.size();
  }
}

namespace {

/// Its element, or a new list of a slice.
std::optional<Item> list_subscript(Lowering& l, const Node& node, const Item& object, const Item& index) {
  const bool is_chosen = !index.type.is_scalar() || l.constant_of(index) == nullptr;
  const bool is_written = is_written_list(object) && l.options.is_function && is_chosen;
  if (object.type->kind != TypeKind::list && !is_written) return {};
  const Item list = list_of(l, node, object, "");
  if (index.type->kind == TypeKind::slice)
    return typed_like(l, list, call_library(l, node, "list.slice", with_slice(list, index)));
  return list_element(l, list, list_place(l, node, list, index, "list index out of range"));
}

/// list(x) and sorted(x): the elements of what a loop may run over.
Item lower_list_call(Lowering& l, const Node& node) {
  if (node.operands.size() > 1 && asks_generator(l, node.operands[1]))
    return call_library(l, node.operands[1], "iterator.list", {iterated(l, node.operands[1], true)});
  const Item list = l.lists.new_list(node);
  if (node.operands.size() == 1) return list;
  if (node.operands.size() != 2 + node.names.size()) l.fail(node, "list takes one sequence", "list(range(n))");
  const Sequence over = counted_from_zero(l, sequence_of(l, node.operands[1]));
  if (over.tuple) return list_of(l, node, *over.tuple, "t");
  const ir::Value count = l.b.max(over.range.upper, l.number(0));
  each_place_in_order(l, std::vector{l.number(0)}, std::vector{count},
                      [&](std::span<const ir::Value> at) { l.lists.append(node, list, over.element(at[0])); });
  return list;
}

/// The value of numba.typed's `List(...)`.
Item lower_typed_list(Lowering& l, const Node& node) {
  const Item made = lower_list_call(l, node);
  l.lists.set_typed(made.type);
  return made;
}

/// The operator's result; nothing where neither is a list.
std::optional<Item> binary_of_lists(Lowering& l, const Node& node, std::string_view op, const Item& left,
                                    const Item& right) {
  if (!l.options.is_function) return {};
  const bool any = left.type->kind == TypeKind::list || right.type->kind == TypeKind::list;
  if (op == "+" && is_list(left) && is_list(right) && any)
    return typed_like(
        l, left,
        call_library(l, node, "list.concatenated", {list_of(l, node, left, "l"), list_of(l, node, right, "r")}));
  const bool by_right = is_list(left) && right.type.is_scalar(), by_left = is_list(right) && left.type.is_scalar();
  if (op == "*" && (by_left || by_right)) {
    const Item &list = by_right ? left : right, &count = by_right ? right : left;
    if (!is_integer(count.type->dtype)) l.fail(node, format("a list times {}", describe(count.type)), "an integer");
    return typed_like(l, list, call_library(l, node, "list.repeated", {list_of(l, node, list, ""), count}));
  }
  return {};
}

/// The condition; nothing where neither is a list.
std::optional<ir::Value> compare_lists(Lowering& l, const Node& node, std::string_view op, const Item& left,
                                       const Item& right) {
  ir::Builder& b = l.b;
  if (op == "in" || op == "not in") {
    if (right.type->kind != TypeKind::list) return {};
    const ir::Value found = truth(l, node, call_library(l, node, "list.contains", {right, left}));
    return op == "in" ? found : b.bit_not(found);
  }
  const bool any = left.type->kind == TypeKind::list || right.type->kind == TypeKind::list;
  if (any && (op == "==" || op == "!=") && (left.type.is_scalar() || right.type.is_scalar()))
    return b.constant(Scalar::of_bool(op == "!="));
  if (!any || !is_list(left) || !is_list(right)) return {};
  const Item x = list_of(l, node, left, "l"), y = list_of(l, node, right, "r");
  if (op == "is" || op == "is not") return op == "is" ? b.eq(x.values[0], y.values[0]) : b.ne(x.values[0], y.values[0]);
  const bool negated = op == "!=" || op == ">" || op == ">=";
  const std::string which = op == "==" || op == "!=" ? "equal" : op == "<" || op == ">=" ? "less" : "less_equal";
  const ir::Value holds = truth(l, node, call_library(l, node, "list." + which, {x, y}));
  return negated ? b.bit_not(holds) : holds;
}

/// `+=` and `*=` of a list.
bool augment_list(Lowering& l, const Node& statement, const Item& list, const Item& value) {
  if (list.type->kind != TypeKind::list) return false;
  if (statement.name == "+") {
    const Item more = is_list(value) ? list_of(l, statement, value, "") : l.in_memory(statement, value);
    call_library(l, statement, "list.extend", {list, more});
  } else if (statement.name == "*" && value.type.is_scalar()) {
    call_library(l, statement, "list.repeat", {list, value});
  } else {
    l.fail(statement, format("{}= of a list and {}", statement.name, describe(value.type)));
  }
  return true;
}

std::optional<ir::Value> length_of_list(Lowering& l, const Node&, const Item& item) {
  return item.type->kind == TypeKind::list ? std::optional(list_length(l, item)) : std::nullopt;
}

/// Beside arrays lists are arrays.
std::optional<Item> binary_of_lists_and_arrays(Lowering& l, const Node& node, std::string_view op, const Item& left,
                                               const Item& right) {
  if (const std::optional<Item> list = binary_of_lists(l, node, op, left, right)) return list;
  if (left.type->kind == TypeKind::list && right.type.is_array_like())
    return binary(l, node, op, array_of_list(l, node, left), right);
  if (right.type->kind == TypeKind::list && left.type.is_array_like())
    return binary(l, node, op, left, array_of_list(l, node, right));
  return {};
}

bool store_element(Lowering& l, const Node& node, const Item& object, const Item& index, const Item& value) {
  if (object.type->kind != TypeKind::list) return false;
  store_in_list(l, node, object, index, value);
  return true;
}

std::optional<Sequence> sequence_over_list(Lowering& l, const Node&, const Item& items) {
  if (items.type->kind != TypeKind::list) return {};
  Sequence elements{.range = {l.number(0), list_length(l, items), l.number(1)},
                    .element = [&l, items](ir::Value k) { return list_element(l, items, k); }};
  if (l.known->lists.changes_any) elements.upper = [&l, items] { return list_length(l, items); };
  return elements;
}

std::optional<Item> call_method_of_list(Lowering& l, const Node& node, const Item& object) {
  if (!is_list(object) || !l.options.is_function) return {};
  const std::string method = "list." + node.operands[0].name;
  const Item list = list_of(l, node, object, "");
  if (find_builtin(method)) return call_builtin(l, node, method, method, {list});
  const std::shared_ptr<const Function> function = library_function(l, node, method);
  std::vector<Item> positional = lower_positional(l, node, true);
  if (method == "list.extend")
    for (Item& item : positional)
      if (is_table(item.type)) item = list_of_table(l, node, item);
  positional.insert(positional.begin(), list);
  const Item made = call_function(l, node, *function, with_defaults(l, node, *function, positional));
  if (method == "list.copy" && l.lists.element_of_lists(list.type).is_typed) l.lists.set_typed(made.type);
  return made;
}

/// Functions of Python's that make a list of what they are given.
std::optional<Item> call_with_list(Lowering& l, const Node& node, std::string_view function) {
  if (function == "builtins.list") return lower_list_call(l, node);
  if (function == "typed.List") return lower_typed_list(l, node);
  const bool is_extreme = (function == "builtins.min" || function == "builtins.max") && !node.names.empty();
  if (!is_extreme && function != "builtins.sorted") return {};
  const bool has_default = std::ranges::find(node.names, "default") != node.names.end();
  const std::string name =
      is_extreme ? format("list.{}_{}", function.substr(function.find('.') + 1), has_default ? "or" : "by")
                 : "list.sorted";
  const std::shared_ptr<const Function> library = library_function(l, node, name);
  return call_function(l, node, *library, with_defaults(l, node, *library, {lower_list_call(l, node)}));
}

/// Also of dicts and sets.
std::optional<Item> convert_container(Lowering& l, const Item& item, const Type& type) {
  if (!item.type.is_container()) return {};
  return type->kind == item.type->kind ? Item{type, item.values} : l.zero(type);
}

}  // namespace

const ValueRules list_rules{.length = length_of_list,
                            .binary = binary_of_lists_and_arrays,
                            .compare = compare_lists,
                            .subscript = list_subscript,
                            .store = store_element,
                            .augment = augment_list,
                            .iterate = sequence_over_list,
                            .method = call_method_of_list,
                            .call = call_with_list,
                            .convert = convert_container};

}  // namespace tessera::kernel
