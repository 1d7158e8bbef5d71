#include "tessera/layout/view.h"

namespace tessera {

namespace {

/// 1 when axis a should come after axis b, -1 before, 0 when no view tells.
int compare_axes(std::span<const View> views, int a, int b) {
  for (const View& view : views) {
    int64_t x = std::abs(view.strides[a]), y = std::abs(view.strides[b]);
    if (x == y || x == 0 || y == 0) continue;
    return x < y ? 1 : -1;
  }
  return 0;
}

void move_axis(std::span<View> views, int from, int to) {
  for (View& view : views) {
    for (int axis = from; axis > to; --axis) {
      std::swap(view.shape[axis], view.shape[axis - 1]);
      std::swap(view.strides[axis], view.strides[axis - 1]);
    }
  }
}

}  // namespace

int collapse_axes(std::span<View> views) {
  if (views.empty()) return 0;
  int ndim = views[0].ndim(), kept = 0;
  for (int axis = 0; axis < ndim; ++axis) {
    int64_t extent = views[0].shape[axis];
    if (extent == 1) continue;
    bool merges = kept > 0;
    for (const View& view : views)
      merges = merges && view.strides[kept - 1] == view.strides[axis] * view.shape[axis];
    if (!merges) ++kept;
    for (View& view : views) {
      view.shape[kept - 1] = merges ? view.shape[kept - 1] * extent : extent;
      view.strides[kept - 1] = view.strides[axis];
    }
  }
  for (View& view : views) {
    view.shape.resize(kept);
    view.strides.resize(kept);
  }
  return kept;
}

void sort_axes(std::span<View> views) {
  if (views.empty()) return;
  for (int axis = 1; axis < views[0].ndim(); ++axis) {
    int to = axis;
    for (int before = axis - 1; before >= 0; --before) {
      int order = compare_axes(views, before, axis);
      if (order < 0) break;
      if (order > 0) to = before;
    }
    if (to != axis) move_axis(views, axis, to);
  }
}

}  // namespace tessera
