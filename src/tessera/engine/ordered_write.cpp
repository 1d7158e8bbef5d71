#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "tessera/engine/device/memory/coherence.h"
#include "tessera/engine/record.h"
#include "tessera/engine/state.h"
#include "tessera/engine/support/common_ops.h"

namespace tessera {

using engine::CommonOps;

namespace {

struct Axis {
  int64_t extent, to, from;  // strides in bytes
};

/// The axes in NumPy's iteration order: ascending along the destination's memory, the smallest strides innermost.
SmallVector<Axis, 8> walk_order(const View& target, const View& values, char*& to, const char*& from) {
  SmallVector<Axis, 8> axes;
  for (int k = 0; k < target.ndim(); ++k) {
    Axis axis{target.shape[k], target.strides[k], values.strides[k]};
    if (axis.to < 0) {
      to += axis.to * (axis.extent - 1);
      from += axis.from * (axis.extent - 1);
      axis.to = -axis.to;
      axis.from = -axis.from;
    }
    axes.push_back(axis);
  }
  std::stable_sort(axes.begin(), axes.end(), [](const Axis& a, const Axis& b) { return a.to > b.to; });
  return axes;
}

void copy_in_order(std::span<const Axis> axes, char* to, const char* from, size_t itemsize) {
  if (axes.empty()) {
    std::memcpy(to, from, itemsize);
    return;
  }
  for (int64_t i = 0; i < axes[0].extent; ++i)
    copy_in_order(axes.subspan(1), to + i * axes[0].to, from + i * axes[0].from, itemsize);
}

}  // namespace

void engine::write_in_order(State& state, const Array& destination, const Array& source, const Context& context) {
  const View& target = destination.view;
  const Operand operand(source);
  const Array values = record_map(state, *CommonOps::get().copy, CommonOps::get().copy_signature(source.dtype()), 0,
                                  std::span(&operand, 1), View::contiguous(target.shape, target.dtype), context);
  state.executor.settle(*values.storage->current);
  state.executor.make_exclusive(*destination.storage);
  char* to = destination.storage->current->data + target.offset;
  const char* from = engine::host_data(*values.storage->current) + values.view.offset;
  const SmallVector<Axis, 8> axes = walk_order(target, values.view, to, from);
  copy_in_order({axes.begin(), axes.size()}, to, from, static_cast<size_t>(target.itemsize()));
}

}  // namespace tessera
