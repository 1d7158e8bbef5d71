#include "tessera/layout/axis_order.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <vector>

namespace tessera {

namespace {

/// 1 when axis a should come after axis b, -1 when before, 0 when no view determines it.
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

/// The operand's absolute stride along an axis of the broadcast shape; 0 where the operand is broadcast.
int64_t stride_along(const View& view, int axis, int ndim) {
  const int own = axis - (ndim - view.ndim());
  return own < 0 || view.shape[own] == 1 ? 0 : std::abs(view.strides[own]);
}

enum class Nesting : uint8_t { unknown, outside, inside };

/// Whether axis a goes outside axis b. If the operands disagree, "outside" wins.
Nesting nesting(std::span<const View* const> operands, int ndim, int a, int b) {
  Nesting result = Nesting::unknown;
  for (const View* view : operands) {
    const int64_t x = stride_along(*view, a, ndim), y = stride_along(*view, b, ndim);
    if (x == 0 || y == 0) continue;
    if (x >= y) return Nesting::outside;
    result = Nesting::inside;
  }
  return result;
}

}  // namespace

bool has_falling_strides(const View& view) {
  for (int axis = 1; axis < view.ndim(); ++axis) {
    if (std::abs(view.strides[axis]) > std::abs(view.strides[axis - 1])) return false;
  }
  return true;
}

View common_layout(const Dims& shape, DType dtype, std::span<const View* const> operands) {
  View result = View::contiguous(shape, dtype);
  if (std::all_of(operands.begin(), operands.end(), [](const View* view) { return has_falling_strides(*view); }))
    return result;
  // NumPy's own insertion sort, from the innermost axis outwards; the result for partial orders depends on the
  // algorithm.
  const int ndim = static_cast<int>(shape.size());
  SmallVector<int, 8> order;  // innermost first
  for (int axis = ndim - 1; axis >= 0; --axis) {
    size_t to = order.size();
    for (size_t before = order.size(); before-- > 0;) {
      const Nesting found = nesting(operands, ndim, axis, order[before]);
      if (found == Nesting::outside) break;
      if (found == Nesting::inside) to = before;
    }
    order.push_back(axis);
    std::rotate(order.begin() + static_cast<long>(to), order.end() - 1, order.end());
  }
  int64_t stride = result.itemsize();
  for (int axis : order) {
    result.strides[axis] = stride;
    stride *= std::max<int64_t>(1, shape[axis]);
  }
  return result;
}

View without_axes(const View& view, std::span<const int> axes) {
  View rest{.offset = view.offset, .dtype = view.dtype};
  for (int axis = 0; axis < view.ndim(); ++axis) {
    if (std::find(axes.begin(), axes.end(), axis) != axes.end()) continue;
    rest.shape.push_back(view.shape[axis]);
    rest.strides.push_back(view.strides[axis]);
  }
  return rest;
}

int collapse_axes(std::span<View> views) {
  if (views.empty()) return 0;
  int ndim = views[0].ndim(), kept = 0;
  for (int axis = 0; axis < ndim; ++axis) {
    int64_t extent = views[0].shape[axis];
    if (extent == 1) continue;
    bool merges = kept > 0;
    for (const View& view : views) merges = merges && view.strides[kept - 1] == view.strides[axis] * view.shape[axis];
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

View layout_like(const Dims& shape, DType dtype, const View& like) {
  View view = View::contiguous(shape, dtype);
  if (like.ndim() != view.ndim() || has_falling_strides(like)) return view;
  std::vector<int> order(shape.size());
  std::iota(order.begin(), order.end(), 0);
  // Axes with stride 0 keep their position, as in NumPy.
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    const int64_t sa = std::abs(like.strides[a]);
    const int64_t sb = std::abs(like.strides[b]);
    return sa != 0 && sb != 0 && sa > sb;
  });
  int64_t stride = view.itemsize();
  for (size_t k = order.size(); k-- > 0;) {
    view.strides[order[k]] = stride;
    stride *= std::max<int64_t>(1, shape[order[k]]);
  }
  return view;
}

}  // namespace tessera
