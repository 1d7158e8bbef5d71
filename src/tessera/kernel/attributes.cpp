// Attributes of arrays and numbers.
#include <array>

#include "tessera/kernel/builtins.h"

namespace tessera::kernel {

namespace {

bool is_array(const Type& type) { return type.is_array(); }
bool is_number(const Type& type) { return type.is_scalar(); }

Item lower_shape(Lowering& l, const Node&, const Item& object) { return l.shape_of(object); }
Item lower_ndim(Lowering& l, const Node&, const Item& object) { return l.constant(object.type.axes); }

Item lower_size(Lowering& l, const Node&, const Item& object) {
  const Item shape = l.shape_of(object);
  ir::Value size = l.b.constant(DType::int64, 1);
  for (ir::Value extent : shape.values) size = l.b.mul(size, extent);
  return l.scalar(size);
}

Item lower_dtype(Lowering&, const Node&, const Item& object) {
  Entity entity{.kind = EntityKind::dtype};
  entity.value.dtype = object.type.dtype;
  return {{.kind = TypeKind::entity, .entity = entity}, {}};
}

Item lower_itemsize(Lowering& l, const Node&, const Item& object) { return l.constant(itemsize(object.type.dtype)); }
Item lower_real(Lowering& l, const Node&, const Item& object) { return l.scalar(l.b.real(object.values[0])); }
Item lower_imag(Lowering& l, const Node&, const Item& object) { return l.scalar(l.b.imag(object.values[0])); }

constexpr std::array table{
    Attribute{"shape", is_array, lower_shape},       Attribute{"ndim", is_array, lower_ndim},
    Attribute{"size", is_array, lower_size},         Attribute{"dtype", is_array, lower_dtype},
    Attribute{"itemsize", is_array, lower_itemsize}, Attribute{"real", is_number, lower_real},
    Attribute{"imag", is_number, lower_imag},
};

}  // namespace

const Attribute* find_attribute(std::string_view name) {
  for (const Attribute& attribute : table) {
    if (attribute.name == name) return &attribute;
  }
  return nullptr;
}

}  // namespace tessera::kernel
