// Records: a structured array is an array for each field.
#include "tessera/kernel/values/record/record.h"

#include <algorithm>

#include "tessera/kernel/lower/lowering.h"
#include "tessera/kernel/types/type.h"
#include "tessera/kernel/types/type_rules.h"
#include "tessera/kernel/values/array/array.h"
#include "tessera/kernel/values/array/element.h"
#include "tessera/kernel/values/array/index.h"
#include "tessera/kernel/values/characters/characters.h"
#include "tessera/kernel/values/date/date.h"
#include "tessera/kernel/values/record/new_records.h"
#include "tessera/kernel/values/value_rules.h"

namespace tessera::kernel {

std::string field_name(Lowering& l, const Node& node, const Item& record, const Item& index) {
  if (index.type.is_entity(EntityKind::text)) return index.type->entity.name;
  const Scalar* known = index.type.is_scalar() ? l.constant_of(index) : nullptr;
  if (!known)
    l.fail(node, format("the field of {} is not constant", describe(record.type)), "a field's name or number");
  const auto count = static_cast<int64_t>(record.type->names.size());
  const int64_t number = known->as_int();
  if (number < -count || number >= count)
    l.fail(node, format("Requested index {} is out of range: {} has {} fields", number, describe(record.type), count));
  return record.type->names[static_cast<size_t>(number < 0 ? number + count : number)];
}

Item field_place(Lowering& l, const Node& node, const Item& record, std::string_view name) {
  const auto found = std::ranges::find(record.type->names, name);
  if (found == record.type->names.end()) {
    std::string names;
    for (const std::string& known : record.type->names) names += (names.empty() ? "" : ", ") + known;
    l.fail(node, format("{} has no field {}", describe(record.type), name), names);
  }
  return element(record, static_cast<size_t>(found - record.type->names.begin()));
}

Item field(Lowering& l, const Node& node, const Item& record, std::string_view name) {
  const Item place = field_place(l, node, record, name);
  if (holds_characters(place.type)) return read_characters(l, node, characters_over(place));
  if (place.type.is_bytes())
    l.refuse(node,
             format("field {} holds {}, with which compiled functions do not compute", name, place.type->names[0]),
             "another field, or assign whole records");
  const bool one_number = record.type->axes == 0 && place.type.is_array() && place.type->axes == 0;
  return one_number ? load(l, view_of(l, place)) : place;
}

Item copy_records(Lowering& l, const Node& node, const Item& records) {
  const Item copy = records_like(l, node, records, false);
  store_record(l, node, copy, records);
  return copy;
}

void store_record(Lowering& l, const Node& node, const Item& place, const Item& value) {
  if (is_characters(place.type)) return store_characters(l, node, place, value);
  if (holds_characters(place.type) && (!value.type.is_bytes() || value.type->names != place.type->names)) {
    const bool is_field = holds_characters(value.type);
    return store_characters(l, node, characters_over(place),
                            is_field ? read_characters(l, node, characters_over(value)) : value);
  }
  if (place.type.is_bytes() && value.type->names != place.type->names)
    l.fail(node, format("{} for a field of {}", describe(value.type), place.type->names[0]));
  if (place.type->kind != TypeKind::record) return store(l, node, view_of(l, place), value);
  // A number is that of each field, as in NumPy; of a tuple each element is a field's.
  const bool is_tuple =
      value.type->kind == TypeKind::tuple && value.type->elements.size() == place.type->elements.size();
  if (value.type.is_scalar() || is_tuple) {
    for (size_t k = 0; k < place.type->elements.size(); ++k)
      store_record(l, node, element(place, k), is_tuple ? element(value, k) : value);
    return;
  }
  if (value.type->kind != TypeKind::record || value.type->names != place.type->names ||
      value.type->axes > place.type->axes)
    l.fail(node, format("{} for {}", describe(value.type), describe(place.type)));
  for (size_t k = 0; k < place.type->elements.size(); ++k) {
    const Item part = element(value, k);
    const bool one_number = part.type.is_array() && part.type->axes == 0;
    store_record(l, node, element(place, k), one_number ? load(l, view_of(l, part)) : part);
  }
}

namespace {

/// Of each field the part of an index; no one field of one record.
Item records_subscript(Lowering& l, const Node& node, const Item& object, const Item& index) {
  std::vector<Item> fields;
  TypeParts part{.kind = TypeKind::record, .id = object.type->id, .names = object.type->names};
  Item plain = l.options.is_function ? l.in_memory(node, without_lists(l, node, index)) : index;
  const bool is_gathered = l.options.is_function && is_array_index(plain);
  if (!is_gathered) plain = leading_index(l, node, object, plain);
  for (size_t k = 0; k < object.type->elements.size(); ++k) {
    const Apart apart(l, node, -2 - static_cast<int64_t>(k));
    Item array = element(object, k);
    const int axes = array.type->axes - object.type->axes;  // of the field itself
    Item of = array.type->kind == TypeKind::record || is_gathered ? subscript(l, node, array, plain)
                                                                  : sub_view(l, node, array, plain).item();
    if (is_gathered && array.type.is_bytes()) of.type = with_names(of.type, array.type->names);
    part.axes = of.type->axes - axes;
    fields.push_back(std::move(of));
  }
  const Item made = joined_of(std::move(part), fields);
  return is_characters(made.type) ? read_characters(l, node, made) : made;
}

bool is_field_of(const Item& object, const Item& index) {
  return object.type->axes == 0 || index.type.is_entity(EntityKind::text);
}

std::optional<Item> record_subscript(Lowering& l, const Node& node, const Item& object, const Item& index) {
  if (object.type->kind != TypeKind::record) return {};
  const bool is_text = index.type.is_entity(EntityKind::text);
  if (object.type->axes > 0 && !is_text) return records_subscript(l, node, object, index);
  if (is_characters(object.type)) {
    check_no_index(l, node, index);
    return read_characters(l, node, object);
  }
  return field(l, node, object, field_name(l, node, object, index));
}

bool store_in_record(Lowering& l, const Node& node, const Item& object, const Item& index, const Item& value) {
  if (object.type->kind != TypeKind::record) return false;
  store_record(l, node,
               is_field_of(object, index) ? field_place(l, node, object, field_name(l, node, object, index))
                                          : subscript(l, node, object, index),
               value);
  return true;
}

std::optional<Item> record_place(Lowering& l, const Node& node, const Item& object, const Item& index) {
  if (object.type->kind != TypeKind::record || !is_field_of(object, index)) return {};
  const Item place = field_place(l, node, object, field_name(l, node, object, index));
  return place.type.is_array() ? std::optional(place) : std::nullopt;
}

std::optional<Item> record_attribute(Lowering& l, const Node& node, const Item& object, const std::string& name) {
  if (object.type->kind != TypeKind::record || std::ranges::find(object.type->names, name) == object.type->names.end())
    return {};
  return field(l, node, object, name);
}

bool set_record_attribute(Lowering& l, const Node& node, const Item& object, const std::string& name,
                          const Item& value) {
  if (object.type->kind != TypeKind::record) return false;
  store_record(l, node, field_place(l, node, object, name), l.present(node, value));
  return true;
}

std::optional<Item> call_record_method(Lowering& l, const Node& node, const Item& object) {
  const bool copies = object.type->kind == TypeKind::record && node.operands[0].name == "copy";
  return copies && node.operands.size() == 1 && l.options.is_function ? std::optional(copy_records(l, node, object))
                                                                      : std::nullopt;
}

}  // namespace

const ValueRules record_rules{.subscript = record_subscript,
                              .store = store_in_record,
                              .place = record_place,
                              .attribute = record_attribute,
                              .set_attribute = set_record_attribute,
                              .method = call_record_method};

namespace {

std::string describe_record(const Type& type) {
  if (is_characters(type)) return format("array({}, {}d)", character_type_of(type).name(), type->axes);
  return type->axes ? format("{}d array of {}", type->axes, describe_elements(type, "records(", ")"))
                    : describe_elements(type, "record(", ")");
}

}  // namespace

const TypeRules record_type{.describe = describe_record};

}  // namespace tessera::kernel
