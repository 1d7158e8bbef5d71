// Records: a structured array is an array for each field.
#include "tessera/kernel/values/record/record.h"

#include <algorithm>

#include "tessera/kernel/lower/lowering.h"
#include "tessera/kernel/values/array/array.h"
#include "tessera/kernel/values/array/element.h"
#include "tessera/kernel/values/array/index.h"
#include "tessera/kernel/values/characters/characters.h"
#include "tessera/kernel/values/date/date.h"

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

Item new_records(Lowering& l, const Node& node, const Entity& type, const std::vector<ir::Value>& extents,
                 bool zeroed) {
  std::vector<Item> fields;
  for (const Entity& given : type.elements) {
    const bool is_text = given.kind == EntityKind::record && given.names == std::vector{std::string(characters_field)};
    const Entity& field = is_text ? given.elements[0] : given;
    std::vector<ir::Value> all = extents;
    if (is_text)
      for (int64_t extent : given.shape) all.push_back(l.number(extent));
    for (int64_t extent : field.shape) all.push_back(l.number(extent));
    fields.push_back(field.kind == EntityKind::record
                         ? new_records(l, node, field, all, zeroed)
                         : with_unit(allocate(l, node, field.value.dtype, all, zeroed), field.unit));
    if (character_type(field.name)) fields.back().type = with_names(fields.back().type, {field.name});
  }
  return joined_of(
      {.kind = TypeKind::record, .id = type.layout, .axes = static_cast<int>(extents.size()), .names = type.names},
      fields);
}

Item records_like(Lowering& l, const Node& node, const Item& records, bool zeroed) {
  std::vector<Item> fields;
  for (size_t k = 0; k < records.type->elements.size(); ++k) {
    const Item field = element(records, k);
    if (field.type->kind == TypeKind::record) {
      fields.push_back(records_like(l, node, field, zeroed));
      continue;
    }
    fields.push_back(
        with_unit(allocate(l, node, field.type->dtype, shape_of(l, field).values, zeroed), field.type->unit));
    fields.back().type = with_names(fields.back().type, field.type->names);  // of the bytes of a text
  }
  return joined_of(
      {.kind = TypeKind::record, .id = records.type->id, .axes = records.type->axes, .names = records.type->names},
      fields);
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

}  // namespace tessera::kernel
