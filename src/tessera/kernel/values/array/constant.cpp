// Arrays outside the kernel: further buffers, filled when the kernel is compiled.
#include "tessera/kernel/values/array/memory.h"

#include <algorithm>
#include <cstring>

#include "tessera/ir/builder_expand.h"
#include "tessera/kernel/lower/lowering.h"

namespace tessera::kernel {

namespace {

/// The element at this place in C order.
Scalar element_of(const ConstantArray& array, int64_t linear) {
  Scalar value{.dtype = array.dtype};
  const auto size = static_cast<size_t>(itemsize(array.dtype));
  std::memcpy(value.bytes, array.bytes.data() + static_cast<size_t>(linear) * size, size);
  return value;
}

/// One of the elements from `first` to `last`: comparisons of the place find it.
ir::Value choose_element(ir::Builder& b, const ConstantArray& array, ir::Value linear, int64_t first, int64_t last) {
  if (last - first == 1) return b.constant(element_of(array, first));
  const int64_t middle = first + (last - first) / 2;
  const ir::Value is_before = b.lt(linear, b.constant(DType::int64, middle));
  const ir::Value before = choose_element(b, array, linear, first, middle);
  return b.select(is_before, before, choose_element(b, array, linear, middle, last));
}

}  // namespace

uint32_t Memory::add_constant(const ConstantArray& array) {
  if (l_.options.is_body) return 0;  // it has its operands' buffers alone
  return b.add_buffer({.dtype = array.dtype, .ndim = static_cast<uint8_t>(array.shape.size()), .writable = true});
}

Item Memory::constant_array(const std::shared_ptr<const ConstantArray>& array) {
  const auto& constants = l_.known->constants;
  const auto found = std::ranges::find_if(constants, [&](const auto& known) { return *known == *array; });
  const size_t which = static_cast<size_t>(found - constants.begin());
  if (found == constants.end()) {
    l_.known.add().constants.push_back(array);
    constants_.push_back(add_constant(*array));
  }
  const int axes = static_cast<int>(array->shape.size());
  TypeParts type{.kind = TypeKind::buffer, .dtype = array->dtype, .unit = array->unit, .axes = axes, .base_axes = axes};
  type.is_constant = !array->held;
  if (type.is_constant) type.extents = array->shape;
  type.id = first_constant + static_cast<uint32_t>(which);
  return {type, {}};
}

// An element at constant indices is a constant itself.
std::optional<Scalar> Memory::known_element(const ArrayView& element) const {
  const ArrayView::Base& base = element.bases[0];
  if (element.bases.size() > 1 || !base.array->is_constant) return std::nullopt;
  const ConstantArray* array = l_.known->constants[base.array->id - first_constant].get();
  if (array->is_data) return std::nullopt;
  int64_t linear = 0;
  for (size_t axis = 0; axis < base.begins.size(); ++axis) {
    const Scalar* index = l_.constant_of(l_.scalar(base.begins[axis]));
    if (!index || index->as_int() < 0 || index->as_int() >= array->shape[axis]) return std::nullopt;
    linear = linear * array->shape[axis] + index->as_int();
  }
  return element_of(*array, linear);
}

// A body of an op has no memory beside its operands: the numbers stand in its code.
ir::Value Memory::chosen_element(const ArrayView::Base& base) const {
  const ConstantArray& array = *l_.known->constants[base.array->id - first_constant];
  ir::Value linear = b.constant(DType::int64, 0);
  int64_t count = 1;
  for (size_t axis = 0; axis < base.begins.size(); ++axis) {
    linear = b.add(b.mul(linear, b.constant(DType::int64, array.shape[axis])), b.cast(base.begins[axis], DType::int64));
    count *= array.shape[axis];
  }
  return choose_element(b, array, linear, 0, count);
}

}  // namespace tessera::kernel
