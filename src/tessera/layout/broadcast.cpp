#include "tessera/base/error.h"
#include "tessera/layout/view.h"

namespace tessera {

std::string shape_text(std::span<const int64_t> shape) {
  std::string text = "(";
  for (size_t k = 0; k < shape.size(); ++k) text += (k ? "," : "") + std::to_string(shape[k]);
  return text + (shape.size() == 1 ? ",)" : ")");
}

int64_t checked_size(std::span<const int64_t> shape, int64_t itemsize) {
  int64_t size = 1, bytes = itemsize;
  bool empty = false;
  for (int64_t extent : shape) {
    require<ValueError>(extent >= 0, "negative dimensions are not allowed");
    empty |= extent == 0;
    require<ValueError>(!__builtin_mul_overflow(bytes, extent ? extent : 1, &bytes),
                        "array is too big; `arr.size * arr.dtype.itemsize` is larger than the maximum possible size.");
    size *= extent ? extent : 1;
  }
  return empty ? 0 : size;
}

int normalize_axis(int64_t axis, int ndim) {
  int64_t result = axis < 0 ? axis + ndim : axis;
  require<AxisError>(result >= 0 && result < ndim, "axis {} is out of bounds for array of dimension {}", axis, ndim);
  return static_cast<int>(result);
}

Dims broadcast_shapes(std::string_view op, std::span<const int64_t> a, std::span<const int64_t> b) {
  if (a.size() < b.size()) std::swap(a, b);
  Dims result(a);
  size_t lead = a.size() - b.size();
  for (size_t k = 0; k < b.size(); ++k) {
    int64_t& extent = result[lead + k];
    if (extent == b[k] || b[k] == 1) continue;
    if (extent != 1) {
      throw ShapeError(format("{}{}operands could not be broadcast together with shapes {} {} ", op,
                              op.empty() ? "" : ": ", shape_text(a), shape_text(b)));
    }
    extent = b[k];
  }
  return result;
}

View View::broadcast_to(std::span<const int64_t> to) const {
  if (std::equal(shape.begin(), shape.end(), to.begin(), to.end())) return *this;
  auto fail = [&] {
    throw ShapeError(
        format("could not broadcast input array from shape {} into shape {}", shape_text(shape), shape_text(to)));
  };
  if (shape.size() > to.size()) fail();
  View view;
  view.dtype = dtype;
  view.offset = offset;
  view.shape = Dims(to);
  view.strides.resize(to.size(), 0);
  size_t lead = to.size() - shape.size();
  for (size_t k = 0; k < shape.size(); ++k) {
    if (shape[k] == to[lead + k])
      view.strides[lead + k] = strides[k];
    else if (shape[k] != 1)
      fail();
  }
  return view;
}

}  // namespace tessera
