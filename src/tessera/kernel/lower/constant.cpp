// Arrays outside the kernel: further buffers, filled when the kernel is compiled.
#include "tessera/kernel/lower/arrays/memory.h"

#include <algorithm>
#include <cstring>

#include "tessera/ir/builder_expand.h"
#include "tessera/kernel/lower/lowering.h"

namespace tessera::kernel {

uint32_t Memory::add_constant(const ConstantArray& array) {
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
  int64_t linear = 0;
  for (size_t axis = 0; axis < base.begins.size(); ++axis) {
    const Scalar* index = l_.constant_of(l_.scalar(base.begins[axis]));
    if (!index || index->as_int() < 0 || index->as_int() >= array->shape[axis]) return std::nullopt;
    linear = linear * array->shape[axis] + index->as_int();
  }
  Scalar value{.dtype = array->dtype};
  const auto size = static_cast<size_t>(itemsize(array->dtype));
  std::memcpy(value.bytes, array->bytes.data() + static_cast<size_t>(linear) * size, size);
  return value;
}

}  // namespace tessera::kernel
