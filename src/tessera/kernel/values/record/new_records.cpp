#include "tessera/kernel/values/record/new_records.h"

#include "tessera/kernel/lower/lowering.h"
#include "tessera/kernel/values/array/array.h"
#include "tessera/kernel/values/array/index.h"
#include "tessera/kernel/values/characters/character_type.h"
#include "tessera/kernel/values/date/date.h"

namespace tessera::kernel {

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

}  // namespace tessera::kernel
