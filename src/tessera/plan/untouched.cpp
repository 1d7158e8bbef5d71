#include "tessera/plan/untouched.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>

namespace tessera::plan {

/// With the axes sorted by stride, the written view is nested rows: what remains is a head, a tail and, at each level,
/// the gaps between blocks.
std::vector<ByteBox> untouched_boxes(const View& written, int64_t nbytes) {
  const ByteBox everything{.offset = 0, .nbytes = nbytes};
  if (written.size() == 0) return {everything};
  struct Axis {
    int64_t extent, stride;
  };
  std::vector<Axis> axes;
  for (int k = 0; k < written.ndim(); ++k) {
    if (written.shape[k] > 1) axes.push_back({written.shape[k], std::abs(written.strides[k])});
  }
  std::sort(axes.begin(), axes.end(), [](const Axis& a, const Axis& b) { return a.stride > b.stride; });
  std::vector<ByteBox> boxes;
  const auto [low, high] = written.byte_range();
  if (low > 0) boxes.push_back({.offset = 0, .nbytes = low});
  if (high < nbytes) boxes.push_back({.offset = high, .nbytes = nbytes - high});
  int64_t block = itemsize(written.dtype);  // bytes spanned by the inner axes
  for (size_t k = axes.size(); k-- > 0;) {
    const Axis& axis = axes[k];
    if (axis.stride < block) return {everything};
    if (axis.stride > block) {
      ByteBox gaps{.offset = low + block, .nbytes = axis.stride - block};
      for (size_t outer = 0; outer < k; ++outer) {
        gaps.counts.push_back(axes[outer].extent);
        gaps.strides.push_back(axes[outer].stride);
      }
      gaps.counts.push_back(axis.extent - 1);
      gaps.strides.push_back(axis.stride);
      boxes.push_back(std::move(gaps));
    }
    block += (axis.extent - 1) * axis.stride;
  }
  return boxes;
}

}  // namespace tessera::plan
