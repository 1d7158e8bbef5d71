#include "tessera/kernel/values/characters/characters.h"

#include <algorithm>

#include "tessera/kernel/lower/calls/host.h"
#include "tessera/kernel/lower/lowering.h"
#include "tessera/kernel/lower/operator.h"
#include "tessera/kernel/values/array/array.h"
#include "tessera/kernel/values/array/element.h"
#include "tessera/kernel/values/array/index.h"
#include "tessera/kernel/values/array/memory.h"
#include "tessera/kernel/values/array/whole.h"
#include "tessera/kernel/values/record/new_records.h"
#include "tessera/kernel/values/text/string.h"
#include "tessera/kernel/values/value_rules.h"

namespace tessera::kernel {

namespace {

/// The bytes of an element.
ArrayView bytes_of_element(Lowering& l, const Item& array, std::span<const ir::Value> at) {
  const ArrayView bytes = view_of(l, element(array, 0));
  ArrayView one{.bases = bytes.bases, .which = bytes.which};
  one.axes.push_back(bytes.axes.back());
  for (ArrayView::Base& base : one.bases) {
    for (size_t k = 0; k < at.size(); ++k) move_begin(l, base, base.kept[k], bytes.axes[k].step, at[k]);
    base.kept.erase(base.kept.begin(), base.kept.end() - 1);
  }
  return one;
}

Item element_of_characters(Lowering& l, const Node& node, const Item& array, std::span<const ir::Value> at) {
  return read_characters(l, node, characters_over(bytes_of_element(l, array, at).item()));
}

void check_is_function(Lowering& l, const Node& node, const Item& characters) {
  if (!l.options.is_function)
    l.refuse(node, format("elements of {} in a kernel", character_type_of(characters.type).name()),
             "a function with @jit, or numbers in their place");
}

void check_kind(Lowering& l, const Node& node, const Item& place, bool is_bytes, const Item& value) {
  if (character_type_of(place.type).is_bytes == is_bytes) return;
  l.fail(node, format("{} for elements of {}", describe(value.type), character_type_of(place.type).name()),
         is_bytes ? "texts, such as str(x)" : "bytes");
}

/// The text as an element of an array of its own.
Item own_element(Lowering& l, const Node& node, const Item& place, const Item& value) {
  check_is_function(l, node, place);
  const std::optional<Item> text = string_of(l, value);
  if (!text)
    l.fail(node, format("{} for elements of {}", describe(value.type), character_type_of(place.type).name()),
           "a text or bytes");
  check_kind(l, node, place, is_bytes_value(text->type), value);
  const CharacterType type = character_type_of(place.type);
  const ir::Value address = padded_string(l, type, *text);
  return own_array(l, DType::uint8, address, std::vector{l.number(type.itemsize())});
}

/// The array's elements in a new one of the place's dtype.
Item converted(Lowering& l, const Node& node, const Item& place, const Item& value) {
  const CharacterType from = character_type_of(value.type), to = character_type_of(place.type);
  check_kind(l, node, place, from.is_bytes, value);
  const std::vector<ir::Value> extents = shape_of(l, value).values;
  const Item made = new_records(l, node, characters_entity(to), extents, false);
  each_index(l, extents, [&](std::span<const ir::Value> at) {
    store(l, node, bytes_of_element(l, made, at),
          own_element(l, node, made, element_of_characters(l, node, value, at)));
  });
  return made;
}

}  // namespace

Item read_characters(Lowering& l, const Node& node, const Item& characters) {
  if (characters.type->axes > 0) return characters;
  check_is_function(l, node, characters);
  Item bytes = element(characters, 0);
  const std::vector<Type> arrays = alternatives(bytes.type);
  if (arrays.size() > 1 || arrays[0]->is_constant) bytes = copy_of(l, node, {with_names(bytes.type, {}), bytes.values});
  return string_at(l, character_type_of(characters.type), first_address(l, node, bytes));
}

void store_characters(Lowering& l, const Node& node, const Item& place, const Item& value) {
  const Item bytes = element(place, 0);
  if (!is_characters(value.type)) return store(l, node, view_of(l, bytes), own_element(l, node, place, value));
  const bool is_same = element(value, 0).type->names == bytes.type->names;
  const Item given = is_same ? value : converted(l, node, place, value);
  store(l, node, view_of(l, bytes), element(given, 0));
}

namespace {

/// The same where an index says.
bool store_in_characters(Lowering& l, const Node& node, const Item& array, const Item& index, const Item& value) {
  if (!is_characters(array.type)) return false;
  const Item bytes = element(array, 0);
  const Item given = is_characters(value.type) && element(value, 0).type->names != bytes.type->names
                         ? converted(l, node, array, value)
                         : value;
  const Item stored = is_characters(given.type) ? element(given, 0) : own_element(l, node, array, given);
  const Item plain = l.in_memory(node, without_lists(l, node, index));
  if (is_array_index(plain))
    scatter(l, node, bytes, plain, stored);
  else
    store(l, node, sub_view(l, node, bytes, leading_index(l, node, array, plain)), stored);
  return true;
}

/// Which elements compare so with a text, or with those of another array.
std::optional<Item> compare_characters(Lowering& l, const Node& node, std::string_view op, const Item& left,
                                       const Item& right) {
  if (!l.options.is_function || (!is_characters(left.type) && !is_characters(right.type))) return {};
  std::vector<ir::Value> extents;
  for (const Item* side : {&left, &right}) {
    if (!is_characters(side->type)) continue;
    const std::vector<ir::Value> own = shape_of(l, *side).values;
    if (extents.empty()) extents = own;
    if (own.size() != extents.size())
      l.refuse(node, "arrays of texts of several numbers of axes are compared", "arrays of one shape");
    for (size_t axis = 0; axis < own.size(); ++axis)
      l.failures.raise_if(node, l.b.ne(own[axis], extents[axis]), ExceptionNumber::value_error,
                          "operands could not be broadcast together");
  }
  // As NumPy a text is compared as an element that has it.
  const auto as_element = [&](const Item& item) { return is_any_text(item.type) ? without_nuls(l, node, item) : item; };
  const Item sides[] = {as_element(left), as_element(right)};
  const Item made = allocate(l, node, DType::boolean, extents, false);
  each_index(l, extents, [&](std::span<const ir::Value> at) {
    const auto side = [&](const Item& item) {
      return is_characters(item.type) ? element_of_characters(l, node, item, at) : item;
    };
    store(l, node, element_at(l, view_of(l, made), at), l.scalar(compare(l, node, op, side(sides[0]), side(sides[1]))));
  });
  return made;
}

}  // namespace

const ValueRules character_rules{.compare_elements = compare_characters, .store = store_in_characters};

}  // namespace tessera::kernel
