#include "tessera/plan/box_of.h"

#include <algorithm>
#include <cstdlib>
#include <vector>

namespace tessera::plan {

std::optional<ByteBox> box_of(const Binding& binding, int64_t item) {
  struct Axis {
    int64_t count, stride;
  };
  std::vector<Axis> view;
  ByteBox box{.offset = binding.offset, .nbytes = item};
  for (size_t axis = 0; axis < binding.strides.size(); ++axis) {
    const int64_t count = binding.dimensions[axis], stride = binding.strides[axis];
    if (count == 1) continue;
    if (stride == 0) return {};
    if (stride < 0) box.offset += (count - 1) * stride;
    view.push_back({count, std::abs(stride)});
  }
  std::sort(view.begin(), view.end(), [](const Axis& a, const Axis& b) { return a.stride < b.stride; });
  for (const Axis& axis : view) {
    if (axis.stride == box.nbytes && box.counts.empty()) {
      box.nbytes *= axis.count;
    } else if (!box.counts.empty() && axis.stride == box.counts[0] * box.strides[0]) {
      box.counts[0] *= axis.count;
    } else {
      box.counts.insert(0, axis.count);
      box.strides.insert(0, axis.stride);
    }
  }
  return box;
}

}  // namespace tessera::plan
