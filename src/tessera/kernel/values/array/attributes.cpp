// Attributes of arrays and numbers.
#include <algorithm>
#include <array>
#include <cstddef>

#include "tessera/kernel/builtins/builtins.h"
#include "tessera/kernel/lower/operator.h"
#include "tessera/kernel/values/array/array.h"
#include "tessera/kernel/values/array/element.h"
#include "tessera/kernel/values/array/index.h"
#include "tessera/kernel/values/array/memory.h"
#include "tessera/kernel/values/characters/character_type.h"
#include "tessera/kernel/values/text/text.h"

namespace tessera::kernel {

namespace {

bool is_array(const Type& type) { return type.is_array_like(); }

bool is_indexed(const Type& type) { return type.is_indexed() && (type.is_array_like() || type->axes > 0); }

bool is_records(const Type& type) { return type->kind == TypeKind::record && type->axes > 0; }

bool is_dtype(const Type& type) { return type.is_entity(EntityKind::dtype); }

bool is_number(const Type& type) { return type.is_scalar(); }

Item lower_shape(Lowering& l, const Node&, const Item& object) { return shape_of(l, object); }

Item lower_ndim(Lowering& l, const Node&, const Item& object) { return l.constant(object.type->axes); }

Item lower_size(Lowering& l, const Node&, const Item& object) {
  const Item shape = shape_of(l, object);
  ir::Value size = l.b.constant(DType::int64, 1);
  for (ir::Value extent : shape.values) size = l.b.mul(size, extent);
  return l.scalar(size);
}

Item lower_dtype(Lowering&, const Node&, const Item& object) {
  Item made = dtype_object(object.type->dtype);
  if (!object.type->unit) return made;
  Entity entity = made.type->entity;
  entity.unit = object.type->unit;
  return {Type::of_entity(std::move(entity)), {}};
}

Item lower_characters_dtype(Lowering&, const Node&, const Item& object) {
  return {Type::of_entity(characters_entity(character_type_of(object.type))), {}};
}

Item lower_characters_itemsize(Lowering& l, const Node&, const Item& object) {
  return l.constant(character_type_of(object.type).itemsize());
}

Item lower_itemsize(Lowering& l, const Node&, const Item& object) { return l.constant(itemsize(object.type->dtype)); }

Item lower_nbytes(Lowering& l, const Node& node, const Item& object) {
  return binary(l, node, "*", lower_size(l, node, object), lower_itemsize(l, node, object));
}

// The axes in reverse.
Item lower_transposed(Lowering& l, const Node& node, const Item& object) {
  ArrayView view = view_of(l, l.in_memory(node, object));
  std::ranges::reverse(view.axes);
  for (ArrayView::Base& base : view.bases) std::ranges::reverse(base.kept);
  return item_of(l, view);
}

/// Records whose fields' first axes are in reverse.
Item transposed_records(Lowering& l, const Item& records, std::ptrdiff_t axes) {
  std::vector<Item> fields;
  for (size_t k = 0; k < records.type->elements.size(); ++k) {
    const Item field = element(records, k);
    if (field.type->kind == TypeKind::record) {
      fields.push_back(transposed_records(l, field, axes));
      continue;
    }
    ArrayView view = view_of(l, field);
    std::reverse(view.axes.begin(), view.axes.begin() + axes);
    for (ArrayView::Base& base : view.bases) std::reverse(base.kept.begin(), base.kept.begin() + axes);
    fields.push_back(view.item());
  }
  return joined_of(
      {.kind = TypeKind::record, .id = records.type->id, .axes = records.type->axes, .names = records.type->names},
      fields);
}

Item lower_transposed_records(Lowering& l, const Node&, const Item& records) {
  return transposed_records(l, records, records.type->axes);
}

// Strides in bytes of a kernel's arguments belong to its launch.
Item lower_strides(Lowering& l, const Node& node, const Item& object) {
  const ArrayView view = view_of(l, l.in_memory(node, object));
  if (!l.options.is_function && view.bases[0].array->kind != TypeKind::array)
    l.refuse(node, "the strides of an array argument are not known in kernels", "pass them as an argument");
  if (view.bases.size() > 1) l.refuse(node, "the strides of one array or another", "those of each");
  std::vector<Item> strides;
  for (ir::Value stride : strides_of(l, view)) strides.push_back(l.scalar(stride));
  return tuple_of(strides);
}

/// Whether elements follow one another in C order, or with the first axis innermost; axes of one element are ignored.
ir::Value is_in_order(Lowering& l, const ArrayView& view, bool is_fortran) {
  ir::Builder& b = l.b;
  const std::vector<ir::Value> strides = strides_of(l, view);
  const ir::Value one = l.constant(1).values[0], zero = l.constant(0).values[0];
  ir::Value expected = l.constant(itemsize(view.bases[0].array->dtype)).values[0];
  ir::Value holds = b.constant(Scalar::of_bool(true)), is_empty = b.constant(Scalar::of_bool(false));
  for (size_t k = 0; k < view.axes.size(); ++k) {
    const size_t axis = is_fortran ? k : view.axes.size() - 1 - k;
    const ir::Value extent = view.axes[axis].extent;
    holds = b.bit_and(holds, b.bit_or(b.eq(strides[axis], expected), b.eq(extent, one)));
    is_empty = b.bit_or(is_empty, b.eq(extent, zero));
    expected = b.mul(expected, extent);
  }
  return b.bit_or(holds, is_empty);
}

/// `contiguous` is NumPy's word for C order.
Item lower_flags(Lowering& l, const Node& node, const Item& object) {
  const ArrayView view = view_of(l, l.in_memory(node, object));
  if (!l.options.is_function || view.bases.size() > 1)
    l.refuse(node, "flags of an array in a kernel, or of one array or another", "what the flags are as an argument");
  const Item in_c = l.scalar(is_in_order(l, view, false)), in_fortran = l.scalar(is_in_order(l, view, true));
  const Item either = l.scalar(l.b.bit_or(in_c.values[0], in_fortran.values[0]));
  return tuple_of({in_c, in_c, in_fortran, either}, {"c_contiguous", "contiguous", "f_contiguous", "forc"});
}

/// `ctypes.data` is the address of the first element.
Item lower_ctypes(Lowering& l, const Node& node, const Item& object) {
  if (!l.options.is_function) l.refuse(node, "the address of an array in a kernel", "ffi.from_buffer(array)");
  l.known.note_kept_arrays();
  return tuple_of({l.scalar(first_address(l, node, object))}, {"data"});
}

Item lower_type(Lowering&, const Node&, const Item& object) {
  Entity entity = object.type->entity;
  entity.name.clear();
  return {Type::of_entity(std::move(entity)), {}};
}

Item lower_dtype_itemsize(Lowering& l, const Node&, const Item& object) {
  return l.constant(itemsize(object.type->entity.value.dtype));
}

Item lower_dtype_kind(Lowering&, const Node&, const Item& object) {
  const DType dtype = object.type->entity.value.dtype;
  if (const Unit unit = object.type->entity.unit) return text_item(is_of_spans(unit) ? "m" : "M");
  return text_item(is_boolean(dtype)            ? "b"
                   : is_unsigned_integer(dtype) ? "u"
                   : is_integer(dtype)          ? "i"
                   : is_complex(dtype)          ? "c"
                                                : "f");
}

Item lower_dtype_name(Lowering&, const Node&, const Item& object) {
  if (const Unit unit = object.type->entity.unit) return text_item(name_of_unit(unit));
  return text_item(std::string(name(object.type->entity.value.dtype)));
}

// Of an array: computed where elements are read.
template <bool is_imaginary>
Item lower_component(Lowering& l, const Node& node, const Item& object) {
  if (is_complex(object.type->dtype)) return parts(l, object, is_imaginary);
  if (!is_imaginary) return object;
  return elementwise(l, node, {object},
                     [&l](const std::vector<Item>& items) { return l.scalar(l.b.imag(items[0].values[0])); });
}

Item lower_real(Lowering& l, const Node&, const Item& object) { return l.scalar(l.b.real(object.values[0])); }

Item lower_imag(Lowering& l, const Node&, const Item& object) { return l.scalar(l.b.imag(object.values[0])); }

bool is_bounds(const Type& type) { return type->kind == TypeKind::slice || type->kind == TypeKind::range; }

template <size_t k>
Item lower_bound(Lowering&, const Node&, const Item& object) {
  return element(object, k);
}

constexpr std::array attributes{
    Attribute{"start", is_bounds, lower_bound<0>},
    Attribute{"stop", is_bounds, lower_bound<1>},
    Attribute{"step", is_bounds, lower_bound<2>},
    Attribute{"shape", is_indexed, lower_shape},
    Attribute{"ndim", is_indexed, lower_ndim},
    Attribute{"size", is_indexed, lower_size},
    Attribute{"dtype", is_array, lower_dtype},
    Attribute{"itemsize", is_array, lower_itemsize},
    Attribute{"dtype", is_characters, lower_characters_dtype},
    Attribute{"itemsize", is_characters, lower_characters_itemsize},
    Attribute{"nbytes", is_array, lower_nbytes},
    Attribute{"T", is_array, lower_transposed},
    Attribute{"T", is_records, lower_transposed_records},
    Attribute{"strides", is_array, lower_strides},
    Attribute{"flags", is_array, lower_flags},
    Attribute{"ctypes", is_array, lower_ctypes},
    Attribute{"real", is_number, lower_real},
    Attribute{"imag", is_number, lower_imag},
    Attribute{"real", is_array, lower_component<false>},
    Attribute{"imag", is_array, lower_component<true>},
    Attribute{"type", is_dtype, lower_type},
    Attribute{"itemsize", is_dtype, lower_dtype_itemsize},
    Attribute{"kind", is_dtype, lower_dtype_kind},
    Attribute{"name", is_dtype, lower_dtype_name},
};

}  // namespace

const Attribute* find_attribute(std::string_view name, const Type& type) {
  for (const Attribute& attribute : attributes) {
    if (attribute.name == name && attribute.takes(type)) return &attribute;
  }
  return nullptr;
}

}  // namespace tessera::kernel
