#include "tessera/bind/index/small_index.h"

#include <cstring>

#include "tessera/bind/array/object.h"
#include "tessera/bind/engine/errors.h"
#include "tessera/bind/index/assign.h"
#include "tessera/bind/scalar/elements.h"
#include "tessera/bind/small/small_call.h"
#include "tessera/library/host/select.h"

namespace tessera::bind {

namespace {

/// The numbers of a settled, contiguous, small array of this dtype, or null.
const char* small_data(PyObject* key, DType dtype) {
  if (Py_TYPE(key) != ndarray_type) return nullptr;
  const Array& array = as_ndarray(key)->array;
  if (array.dtype() != dtype || array.ndim() == 0 || array.size() > small_limit || !array.view.is_c_contiguous())
    return nullptr;
  const char* start = readable(array);
  return start ? start + array.view.offset : nullptr;
}

/// The number of elements in one row of `view`, or -1 when a row's elements are not contiguous.
int64_t row_size(const View& view) {
  int64_t size = 1;
  for (int axis = view.ndim() - 1; axis > 0; --axis) {
    if (view.shape[axis] != 1 && view.strides[axis] != size * view.itemsize()) return -1;
    size *= view.shape[axis];
  }
  return size;
}

template <class T>
bool pick(const char* from, const View& view, const int64_t* at, int64_t n, char* to) {
  int64_t extent = view.shape[0], stride = view.strides[0];
  for (int64_t k = 0; k < n; ++k) {
    int64_t i = at[k] < 0 ? at[k] + extent : at[k];
    if (static_cast<uint64_t>(i) >= static_cast<uint64_t>(extent)) return false;
    std::memcpy(to + k * static_cast<int64_t>(sizeof(T)), from + i * stride, sizeof(T));
  }
  return true;
}

bool pick_rows(const char* from, const View& view, const int64_t* at, int64_t n, size_t row_bytes, char* to) {
  if (row_bytes == 8) return pick<uint64_t>(from, view, at, n, to);
  if (row_bytes == 4) return pick<uint32_t>(from, view, at, n, to);
  if (row_bytes == 1) return pick<uint8_t>(from, view, at, n, to);
  int64_t extent = view.shape[0], stride = view.strides[0];
  for (int64_t k = 0; k < n; ++k) {
    int64_t i = at[k] < 0 ? at[k] + extent : at[k];
    if (static_cast<uint64_t>(i) >= static_cast<uint64_t>(extent)) return false;
    std::memcpy(to + k * static_cast<int64_t>(row_bytes), from + i * stride, row_bytes);
  }
  return true;
}

}  // namespace

namespace {

/// The elements of a contiguous vector where the mask is true; null when the shapes differ.
PyObject* pick_masked(const char* from, const View& view, const char* mask, const Array& index) {
  if (view.ndim() != 1 || index.shape() != view.shape || !view.is_c_contiguous()) return nullptr;
  const View picked{.shape = Dims{library::count_nonzero(mask, DType::boolean, index.size())}};
  NdArray* result = new_contiguous(picked, view.dtype);
  library::compress(reinterpret_cast<const uint8_t*>(mask), index.size(), from, view.itemsize(),
                    result->array.storage->current->data);
  return reinterpret_cast<PyObject*>(result);
}

}  // namespace

PyObject* try_small_pick(NdArray* self, PyObject* key) {
  const View& view = self->array.view;
  if (Py_TYPE(reinterpret_cast<PyObject*>(self)) != ndarray_type || view.ndim() == 0) return nullptr;
  const char* numbers = small_data(key, DType::int64);
  const char* mask = numbers ? nullptr : small_data(key, DType::boolean);
  const char* start = numbers || mask ? readable(self->array) : nullptr;
  if (!start) return nullptr;
  const Array& index = as_ndarray(key)->array;
  if (mask) return pick_masked(start + view.offset, view, mask, index);
  int64_t row = row_size(view);
  if (row < 0 || row * index.size() > small_limit || index.ndim() + view.ndim() - 1 > max_ndim) return nullptr;
  View picked{.shape = index.shape()};
  for (int axis = 1; axis < view.ndim(); ++axis) picked.shape.push_back(view.shape[axis]);
  Object result(reinterpret_cast<PyObject*>(new_contiguous(picked, view.dtype)));
  bool in_range =
      pick_rows(start + view.offset, view, reinterpret_cast<const int64_t*>(numbers), index.size(),
                static_cast<size_t>(row * view.itemsize()), as_ndarray(result.get())->array.storage->current->data);
  return in_range ? result.release() : nullptr;
}

bool try_small_put(NdArray* self, PyObject* key, PyObject* value) {
  const View& view = self->array.view;
  if (view.ndim() != 1 || !is_number(value)) return false;
  const char* mask = small_data(key, DType::boolean);
  const char* numbers = mask ? nullptr : small_data(key, DType::int64);
  char* to = mask || numbers ? writable(self->array) : nullptr;
  const Array& index = as_ndarray(key)->array;
  if (!to || index.storage == self->array.storage || (mask && (index.ndim() != 1 || index.size() != view.shape[0])))
    return false;
  Scalar scalar = stored_scalar(value, view.dtype);
  to += view.offset;
  auto size = static_cast<size_t>(view.itemsize());
  if (mask) {
    for (int64_t i = 0; i < index.size(); ++i) {
      if (mask[i]) std::memcpy(to + i * view.strides[0], scalar.bytes, size);
    }
    return true;
  }
  auto at = [&](int64_t k) {
    int64_t i = reinterpret_cast<const int64_t*>(numbers)[k];
    return i < 0 ? i + view.shape[0] : i;
  };
  for (int64_t k = 0; k < index.size(); ++k) {
    if (static_cast<uint64_t>(at(k)) >= static_cast<uint64_t>(view.shape[0])) return false;
  }
  for (int64_t k = 0; k < index.size(); ++k) std::memcpy(to + at(k) * view.strides[0], scalar.bytes, size);
  return true;
}

}  // namespace tessera::bind
