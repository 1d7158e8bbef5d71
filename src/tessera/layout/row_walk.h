/// Iteration over several strided arrays of one shape, row by row.
#pragma once

#include <span>

#include "tessera/layout/view.h"

namespace tessera {

/// The rows in which up to max_arrays arrays of one shape are visited. Axes that are contiguous with each other in all
/// arrays are merged, so contiguous arrays are one row. May be run from many starting points.
class RowWalk {
 public:
  static constexpr size_t max_arrays = 12;

  /// strides[k] are those of array k.
  RowWalk(std::span<const int64_t> shape, std::span<const Dims> strides) : count_(strides.size()) {
    for (size_t axis = 0; axis < shape.size(); ++axis) {
      if (shape[axis] == 1) continue;
      if (shape[axis] == 0) empty_ = true;
      size_t before = steps_.size() - count_;
      bool merges = !extents_.empty();
      for (size_t k = 0; merges && k < count_; ++k) merges = steps_[before + k] == strides[k][axis] * shape[axis];
      if (merges) {
        extents_.back() *= shape[axis];
        for (size_t k = 0; k < count_; ++k) steps_[before + k] = strides[k][axis];
      } else {
        extents_.push_back(shape[axis]);
        for (size_t k = 0; k < count_; ++k) steps_.push_back(strides[k][axis]);
      }
    }
    if (extents_.empty()) {
      extents_.push_back(1);
      for (size_t k = 0; k < count_; ++k) steps_.push_back(0);
    }
  }

  /// Whether all elements form one row.
  bool is_single() const { return extents_.size() == 1; }

  /// Calls row(pointers, strides, n) until every index was visited; pointers[k] is element (0, ..., 0) of array k.
  template <class Row>
  void run(char* const* pointers, Row row) const {
    if (empty_) return;
    size_t last = extents_.size() - 1;
    const int64_t* inner = steps_.data() + last * count_;
    if (last == 0) return row(pointers, inner, extents_[0]);
    char* at[max_arrays];
    for (size_t k = 0; k < count_; ++k) at[k] = pointers[k];
    Dims index(extents_.size());
    while (true) {
      row(at, inner, extents_[last]);
      size_t axis = last;
      while (true) {
        if (axis-- == 0) return;
        const int64_t* steps = steps_.data() + axis * count_;
        for (size_t k = 0; k < count_; ++k) at[k] += steps[k];
        if (++index[axis] < extents_[axis]) break;
        for (size_t k = 0; k < count_; ++k) at[k] -= steps[k] * extents_[axis];
        index[axis] = 0;
      }
    }
  }

 private:
  size_t count_;
  bool empty_ = false;
  Dims extents_;
  SmallVector<int64_t, 16> steps_;  // count_ values for each axis
};

/// Builds a walk and runs it.
template <class Row>
void walk_rows(std::span<const int64_t> shape, std::span<char* const> pointers, std::span<const Dims> strides,
               Row row) {
  RowWalk(shape, strides).run(pointers.data(), row);
}

}  // namespace tessera
