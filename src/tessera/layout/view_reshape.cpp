#include "tessera/base/error.h"
#include "tessera/layout/view.h"

namespace tessera {

namespace {

/// The requested shape as reshape prints it: an unknown extent is "newaxis", leading ones are dropped.
std::string wanted_text(std::span<const int64_t> shape) {
  std::string text;
  bool started = false;
  size_t printed = 0;
  for (int64_t extent : shape) {
    if (extent < 0 && !started) continue;
    text += started ? "," : "";
    text += extent < 0 ? "newaxis" : std::to_string(extent);
    started = true;
    ++printed;
  }
  return "(" + text + (shape.size() == 1 && printed == 1 ? ",)" : ")");
}

/// Whether axes [first, last) are equivalent to one axis with the stride of the last (Order::c) or first (Order::f) of
/// them.
bool is_one_run(const Dims& shape, const Dims& strides, size_t first, size_t last, bool fortran) {
  for (size_t k = first; k + 1 < last; ++k) {
    size_t outer = fortran ? k + 1 : k, inner = fortran ? k : k + 1;
    if (strides[outer] != shape[inner] * strides[inner]) return false;
  }
  return true;
}

/// Empty views keep the strides they would have if extents of 0 were 1.
View make_empty(const View& from, const Dims& shape, Order order) {
  Dims filled = shape;
  std::replace(filled.begin(), filled.end(), int64_t{0}, int64_t{1});
  View view = View::contiguous(filled, from.dtype, order);
  view.shape = shape;
  return view;
}

}  // namespace

Dims resolve_reshape(int64_t size, std::span<const int64_t> shape) {
  Dims result(shape);
  int64_t known = 1, unknown = -1;
  bool fits = true;
  for (size_t k = 0; k < shape.size(); ++k) {
    if (shape[k] < 0) {
      require<ValueError>(unknown < 0, "can only specify one unknown dimension");
      unknown = static_cast<int64_t>(k);
    } else if (__builtin_mul_overflow(known, shape[k], &known)) {
      fits = false;
      break;
    }
  }
  if (fits && unknown >= 0) {
    fits = known != 0 && size % known == 0;
    if (fits) result[unknown] = size / known;
  } else {
    fits = fits && known == size;
  }
  if (!fits) throw ValueError(format("cannot reshape array of size {} into shape {}", size, wanted_text(shape)));
  return result;
}

std::optional<View> View::try_reshape(std::span<const int64_t> wanted, Order order) const {
  Dims to = resolve_reshape(size(), wanted);
  if (order == Order::a || order == Order::k) order = is_f_contiguous() && !is_c_contiguous() ? Order::f : Order::c;
  bool fortran = order == Order::f;
  if (fortran ? is_f_contiguous() : is_c_contiguous()) {
    View view = size() == 0 ? make_empty(*this, to, order) : contiguous(to, dtype, order);
    view.offset = offset;
    return view;
  }
  Dims from_shape, from_strides;
  for (int axis = 0; axis < ndim(); ++axis) {
    if (shape[axis] == 1) continue;
    from_shape.push_back(shape[axis]);
    from_strides.push_back(strides[axis]);
  }
  View view;
  view.dtype = dtype;
  view.offset = offset;
  view.shape = to;
  view.strides.resize(to.size());
  // Match the shortest runs of old and new axes that contain equally many elements.
  size_t old_first = 0, new_first = 0;
  while (old_first < from_shape.size() && new_first < to.size()) {
    size_t old_last = old_first + 1, new_last = new_first + 1;
    int64_t old_count = from_shape[old_first], new_count = to[new_first];
    while (old_count != new_count) {
      if (new_count < old_count)
        new_count *= to[new_last++];
      else
        old_count *= from_shape[old_last++];
    }
    if (!is_one_run(from_shape, from_strides, old_first, old_last, fortran)) return {};
    if (fortran) {
      view.strides[new_first] = from_strides[old_first];
      for (size_t k = new_first + 1; k < new_last; ++k) view.strides[k] = view.strides[k - 1] * to[k - 1];
    } else {
      view.strides[new_last - 1] = from_strides[old_last - 1];
      for (size_t k = new_last - 1; k > new_first; --k) view.strides[k - 1] = view.strides[k] * to[k];
    }
    old_first = old_last;
    new_first = new_last;
  }
  // Trailing axes of extent 1 get the stride that continues the layout.
  int64_t last = new_first ? view.strides[new_first - 1] * (fortran ? to[new_first - 1] : 1) : itemsize();
  for (size_t k = new_first; k < to.size(); ++k) view.strides[k] = last;
  return view;
}

View View::reinterpret(DType to) const {
  View view = *this;
  view.dtype = to;
  int64_t old_size = itemsize(), new_size = tessera::itemsize(to);
  if (old_size == new_size) return view;
  require<ValueError>(ndim() > 0, "Changing the dtype of a 0d array is only supported if the itemsize is unchanged");
  int axis = ndim() - 1;
  require<ValueError>(shape[axis] == 1 || size() == 0 || strides[axis] == old_size,
                      "To change to a dtype of a different size, the last axis must be contiguous");
  int64_t row = shape[axis] * old_size;
  require<ValueError>(new_size < old_size || row % new_size == 0,
                      "When changing to a larger dtype, its size must be a divisor of the total size in bytes of the "
                      "last axis of the array.");
  view.shape[axis] = row / new_size;
  view.strides[axis] = new_size;
  return view;
}

}  // namespace tessera
