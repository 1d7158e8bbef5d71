/// Walking several strided arrays of one shape, row by row.
#pragma once

#include <span>

#include "tessera/layout/view.h"

namespace tessera::bind {

/// Calls row(pointers, strides, n) until every index of `shape` was visited; strides[k] are those of pointers[k]. Axes that
/// all arrays walk as one are merged first, so contiguous arrays are one row.
template <class Row>
void walk_rows(std::span<const int64_t> shape, std::span<char* const> pointers, std::span<const Dims> strides, Row row) {
  size_t count = pointers.size();
  Dims extents;
  SmallVector<int64_t, 16> steps;  // count numbers an axis
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    if (shape[axis] == 0) return;
    if (shape[axis] == 1) continue;
    bool merges = !extents.empty();
    for (size_t k = 0; merges && k < count; ++k) merges = steps[steps.size() - count + k] == strides[k][axis] * shape[axis];
    if (merges) {
      extents.back() *= shape[axis];
      for (size_t k = 0; k < count; ++k) steps[steps.size() - count + k] = strides[k][axis];
    } else {
      extents.push_back(shape[axis]);
      for (size_t k = 0; k < count; ++k) steps.push_back(strides[k][axis]);
    }
  }
  SmallVector<char*, 4> at(pointers);
  if (extents.empty()) {
    SmallVector<int64_t, 4> none(count);
    return row(at.data(), none.data(), int64_t{1});
  }
  int last = static_cast<int>(extents.size()) - 1;
  Dims index(extents.size());
  while (true) {
    row(at.data(), steps.data() + last * count, extents[last]);
    int axis = last - 1;
    for (; axis >= 0; --axis) {
      for (size_t k = 0; k < count; ++k) at[k] += steps[axis * count + k];
      if (++index[axis] < extents[axis]) break;
      for (size_t k = 0; k < count; ++k) at[k] -= steps[axis * count + k] * extents[axis];
      index[axis] = 0;
    }
    if (axis < 0) return;
  }
}

}  // namespace tessera::bind
