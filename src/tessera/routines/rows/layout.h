/// RowLayout: an array as numbered rows, and how kernels walk them.
#pragma once

#include <vector>

#include "tessera/routines/rows/kernels.h"

namespace tessera::routines {

/// Rows are numbered in C order over the axes of `rows`. A row is one element, or as many as the axes before and behind
/// have. Offsets are 0.
struct RowLayout {
  View before, rows, behind;
  /// `count` axes of a view, from number `first` on, number the rows.
  RowLayout(const View& view, int first, int count);
};

/// The axes of a row.
View block_of(const View& view, int first, int count);
/// The shape of rows that are picked by arrays of the shape `picks`: the axes before, those, the axes behind.
Dims picked_shape(const View& view, int first, int count, std::span<const int64_t> picks);

/// The axes of a RowLayout as kernel parameters: in words, with neighbouring axes merged where possible.
class RowWalk {
 public:
  RowWalk(const RowLayout& layout, int64_t word_size);
  RowAxes axes() const { return {counts_[0], counts_[1], counts_[2]}; }
  int64_t before() const { return extents_[0]; }
  int64_t behind() const { return extents_[2]; }  // in words
  const std::vector<int64_t>& scalars() const { return scalars_; }

 private:
  int64_t extents_[3];
  int counts_[3];
  std::vector<int64_t> scalars_;
};

}  // namespace tessera::routines
