/// RowLayout: helpers for arrays that are split into numbered rows and the axes before and behind them.
#pragma once

#include "tessera/engine/device/routines/launcher.h"
#include "tessera/engine/device/routines/routines.h"

namespace tessera::engine {

/// The axes of a RowLayout as kernel parameters: in words, with neighbouring axes merged where possible.
class RowWalk {
 public:
  RowWalk(const RowLayout& layout, int64_t word_size) {
    const View* parts[] = {&layout.before, &layout.rows, &layout.behind};
    for (int part = 0; part < 3; ++part) {
      View view = *parts[part];
      view.offset = 0;
      if (part == 2 && view.itemsize() > word_size) {
        view.shape.push_back(view.itemsize() / word_size);
        view.strides.push_back(word_size);
      }
      extents_[part] = view.size();
      collapse_axes(std::span(&view, 1));
      counts_[part] = std::max(1, view.ndim());
      for (int axis = 0; axis < counts_[part]; ++axis) {
        const int64_t stride = axis < view.ndim() ? view.strides[axis] : 0;
        is_whole_ = is_whole_ && stride % word_size == 0;
        scalars_.push_back(axis < view.ndim() ? view.shape[axis] : 1);
        scalars_.push_back(stride / word_size);
      }
    }
    is_whole_ = is_whole_ && layout.rows.offset % word_size == 0;
  }
  /// Whether all elements lie at multiples of the word size.
  bool is_whole() const { return is_whole_; }
  routines::RowAxes axes() const { return {counts_[0], counts_[1], counts_[2]}; }
  int64_t before() const { return extents_[0]; }
  int64_t behind() const { return extents_[2]; }  // in words
  const std::vector<int64_t>& scalars() const { return scalars_; }

 private:
  int64_t extents_[3];
  int counts_[3];
  bool is_whole_ = true;
  std::vector<int64_t> scalars_;
};

/// The same axes in dense memory, in C order of before, rows, behind.
inline RowLayout dense_layout(const RowLayout& layout) {
  Dims shape;
  for (const View* part : {&layout.before, &layout.rows, &layout.behind})
    for (int64_t extent : part->shape) shape.push_back(extent);
  const View whole = View::contiguous(shape, layout.rows.dtype);
  RowLayout dense = layout;
  int axis = 0;
  for (View* part : {&dense.before, &dense.rows, &dense.behind}) {
    for (int64_t& stride : part->strides) stride = whole.strides[axis++];
    part->offset = 0;
  }
  return dense;
}

/// The elements of a layout as one view, in the order of its axes.
inline View whole_view(const RowLayout& layout) {
  View view = layout.before;
  view.offset = layout.rows.offset;
  for (const View* part : {&layout.rows, &layout.behind}) {
    for (int axis = 0; axis < part->ndim(); ++axis)
      view.shape.push_back(part->shape[axis]), view.strides.push_back(part->strides[axis]);
  }
  return view;
}

}  // namespace tessera::engine
