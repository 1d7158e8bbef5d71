#include "tessera/routines/rows/layout.h"

#include <algorithm>

namespace tessera::routines {

namespace {

View axes_of(const View& view, int first, int count) {
  View part{.dtype = view.dtype};
  part.shape = std::span<const int64_t>(view.shape).subspan(static_cast<size_t>(first), static_cast<size_t>(count));
  part.strides = std::span<const int64_t>(view.strides).subspan(static_cast<size_t>(first), static_cast<size_t>(count));
  return part;
}

}  // namespace

RowLayout::RowLayout(const View& view, int first, int count)
    : before(axes_of(view, 0, first)),
      rows(axes_of(view, first, count)),
      behind(axes_of(view, first + count, view.ndim() - first - count)) {}

View block_of(const View& view, int first, int count) {
  View block{.dtype = view.dtype};
  for (int k = 0; k < view.ndim(); ++k) {
    if (k >= first && k < first + count) continue;
    block.shape.push_back(view.shape[k]);
    block.strides.push_back(view.strides[k]);
  }
  return block;
}

Dims picked_shape(const View& view, int first, int count, std::span<const int64_t> picks) {
  Dims shape = std::span<const int64_t>(view.shape).first(static_cast<size_t>(first));
  for (const int64_t extent : picks) shape.push_back(extent);
  for (int k = first + count; k < view.ndim(); ++k) shape.push_back(view.shape[k]);
  return shape;
}

RowWalk::RowWalk(const RowLayout& layout, int64_t word_size) {
  const View* parts[] = {&layout.before, &layout.rows, &layout.behind};
  for (int part = 0; part < 3; ++part) {
    View view = *parts[part];
    if (part == 2 && view.itemsize() > word_size) {
      view.shape.push_back(view.itemsize() / word_size);
      view.strides.push_back(word_size);
    }
    extents_[part] = view.size();
    collapse_axes(std::span(&view, 1));
    counts_[part] = std::max(1, view.ndim());
    for (int axis = 0; axis < counts_[part]; ++axis) {
      scalars_.push_back(axis < view.ndim() ? view.shape[axis] : 1);
      scalars_.push_back(axis < view.ndim() ? view.strides[axis] / word_size : 0);
    }
  }
}

}  // namespace tessera::routines
