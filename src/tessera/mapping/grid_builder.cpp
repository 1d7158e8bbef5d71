#include "tessera/mapping/grid_builder.h"

#include <algorithm>
#include <utility>

namespace tessera::mapping {

using ir::Value;

GridBuilder::GridBuilder(const ir::Kernel& kernel, const Operands& operands, const char* mapping)
    : Builder(6, kernel.name + "_" + mapping, 3),
      own_scalars_(static_cast<uint32_t>(kernel.scalars.size())),
      in_parts_(operands.in_parts) {
  for (size_t k = 0; k < kernel.buffers.size(); ++k) {
    ir::BufferParam param = kernel.buffers[k];
    // In a kernel over elements parameters may share an element at the same lane. Threads are no lanes.
    param.no_alias = param.no_alias && !operands.may_share(kernel, k);
    add_buffer(param);
  }
  for (DType scalar : kernel.scalars) add_scalar(scalar);
  for (uint32_t k = 0; k < kernel.flag_slots; ++k) add_flag_slot();
}

Value GridBuilder::box(BoxNumber::Kind kind, int axis) {
  const BoxNumber wanted{kind, axis};
  const auto known = std::ranges::find(parameters_, wanted);
  const auto place = static_cast<uint32_t>(known - parameters_.begin());
  if (known == parameters_.end()) {
    parameters_.push_back(wanted);
    add_scalar(DType::int64);
  }
  return scalar(own_scalars_ + place);
}

Value GridBuilder::index_at(int axis, Value offset) {
  if (axis > 0 || !in_parts_) return wide(offset);
  return add(box(BoxNumber::Kind::begin, axis), wide(offset));
}

void GridBuilder::when(Value condition, const std::function<void()>& body) {
  if_(condition,
      [&](auto) {
        body();
        return std::vector<Value>{};
      },
      {});
}

Mapped GridBuilder::finish(const LaunchShape& shape, int64_t min_blocks) {
  Mapped mapped{.kernel = take(), .shape = shape, .parameters = std::move(parameters_)};
  for (size_t axis = 0; axis < 3; ++axis) mapped.kernel.known_extents[axis] = static_cast<int16_t>(shape.threads[axis]);
  mapped.kernel.device.max_threads = static_cast<int16_t>(shape.threads[0] * shape.threads[1] * shape.threads[2]);
  mapped.kernel.device.min_blocks = static_cast<int16_t>(min_blocks);
  return mapped;
}

bool fits_words(const Dims& extents) {
  return std::ranges::all_of(extents, [](int64_t extent) { return extent > 0 && extent < int64_t{1} << 31; });
}

}  // namespace tessera::mapping
