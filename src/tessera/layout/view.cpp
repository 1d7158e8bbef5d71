#include "tessera/layout/view.h"

#include "tessera/base/error.h"

namespace tessera {

View View::contiguous(std::span<const int64_t> shape, DType dtype, Order order) {
  View view;
  view.dtype = dtype;
  view.shape = Dims(shape);
  size_t n = shape.size();
  view.strides.resize(n);
  int64_t step = tessera::itemsize(dtype);
  for (size_t k = 0; k < n; ++k) {
    size_t axis = order == Order::f ? k : n - 1 - k;
    view.strides[axis] = step;
    step *= shape[axis];
  }
  // NumPy gives arrays without elements strides of zero.
  if (step == 0) view.strides = Dims(n, 0);
  return view;
}

bool View::is_c_contiguous() const {
  int64_t step = itemsize();
  bool packed = true;
  for (int axis = ndim() - 1; axis >= 0; --axis) {
    int64_t extent = shape[axis];
    if (extent == 0) return true;
    if (extent != 1 && strides[axis] != step) packed = false;
    step *= extent;
  }
  return packed;
}

bool View::is_f_contiguous() const {
  int64_t step = itemsize();
  bool packed = true;
  for (int axis = 0; axis < ndim(); ++axis) {
    int64_t extent = shape[axis];
    if (extent == 0) return true;
    if (extent != 1 && strides[axis] != step) packed = false;
    step *= extent;
  }
  return packed;
}

/// Whether the stride of each axis is at least the range covered by the axes inside it.
static bool is_nested(const View& view) {
  int64_t reach = view.itemsize();
  for (int axis = view.ndim() - 1; axis >= 0; --axis) {
    if (view.shape[axis] <= 1) continue;
    if (view.strides[axis] < reach) return false;
    reach = view.strides[axis] * view.shape[axis];
  }
  return true;
}

bool View::is_injective() const {
  if (is_nested(*this)) return true;
  struct Axis {
    int64_t stride, extent;
  };
  SmallVector<Axis, 8> axes;
  for (int axis = 0; axis < ndim(); ++axis) {
    if (shape[axis] == 0) return true;
    if (shape[axis] > 1) axes.push_back({std::abs(strides[axis]), shape[axis]});
  }
  std::sort(axes.begin(), axes.end(), [](const Axis& a, const Axis& b) { return a.stride < b.stride; });
  int64_t reach = itemsize();  // bytes covered by the axes so far
  for (const Axis& axis : axes) {
    if (axis.stride < reach) return false;
    reach += axis.stride * (axis.extent - 1);
  }
  return true;
}

View View::select(int axis, int64_t i) const {
  View view = *this;
  view.offset += i * strides[axis];
  view.shape.erase(axis);
  view.strides.erase(axis);
  return view;
}

View View::slice(int axis, int64_t start, int64_t step, int64_t count) const {
  View view = *this;
  if (count > 0) view.offset += start * strides[axis];
  view.shape[axis] = count;
  view.strides[axis] *= step;
  return view;
}

View View::new_axis(int at) const {
  View view = *this;
  view.shape.insert(at, 1);
  view.strides.insert(at, 0);
  return view;
}

View View::transpose(std::span<const int> axes) const {
  require<ValueError>(static_cast<int>(axes.size()) == ndim(), "axes don't match array");
  View view = *this;
  uint64_t seen = 0;
  for (size_t k = 0; k < axes.size(); ++k) {
    int axis = normalize_axis(axes[k], ndim());
    require<ValueError>(!(seen >> axis & 1), "repeated axis in transpose");
    seen |= uint64_t{1} << axis;
    view.shape[k] = shape[axis];
    view.strides[k] = strides[axis];
  }
  return view;
}

View View::transpose() const {
  View view = *this;
  std::reverse(view.shape.begin(), view.shape.end());
  std::reverse(view.strides.begin(), view.strides.end());
  return view;
}

View View::swap_axes(int a, int b) const {
  View view = *this;
  std::swap(view.shape[a], view.shape[b]);
  std::swap(view.strides[a], view.strides[b]);
  return view;
}

View View::diagonal(int64_t k, int axis1, int axis2) const {
  require<ValueError>(ndim() >= 2, "diag requires an array of at least two dimensions");
  require<ValueError>(axis1 != axis2, "axis1 and axis2 cannot be the same");
  View view;
  view.dtype = dtype;
  view.offset = offset;
  for (int axis = 0; axis < ndim(); ++axis) {
    if (axis == axis1 || axis == axis2) continue;
    view.shape.push_back(shape[axis]);
    view.strides.push_back(strides[axis]);
  }
  int64_t rows = shape[axis1] + std::min<int64_t>(k, 0);
  int64_t columns = shape[axis2] - std::max<int64_t>(k, 0);
  int64_t length = std::max<int64_t>(std::min(rows, columns), 0);
  if (length > 0) view.offset += k >= 0 ? k * strides[axis2] : -k * strides[axis1];
  view.shape.push_back(length);
  view.strides.push_back(strides[axis1] + strides[axis2]);
  return view;
}

View View::real() const {
  View view = *this;
  view.dtype = real_dtype(dtype);
  return view;
}

View View::imag() const {
  require<TypeError>(is_complex(dtype), "imag: {} has no imaginary part to view", dtype);
  View view = real();
  view.offset += view.itemsize();
  return view;
}

std::pair<int64_t, int64_t> View::byte_range() const {
  int64_t low = offset, high = offset;
  for (int axis = 0; axis < ndim(); ++axis) {
    if (shape[axis] == 0) return {offset, offset};
    int64_t reach = (shape[axis] - 1) * strides[axis];
    (reach < 0 ? low : high) += reach;
  }
  return {low, high + itemsize()};
}

std::ostream& operator<<(std::ostream& out, const View& view) {
  return out << view.dtype << view.shape << " strides " << view.strides << " at " << view.offset;
}

}  // namespace tessera
