#include "tessera/bind/index/small_index.h"

#include <cstring>

#include "tessera/bind/array/object.h"
#include "tessera/bind/engine/errors.h"
#include "tessera/bind/index/assign.h"
#include "tessera/eager/host_array.h"
#include "tessera/eager/pick.h"
#include "tessera/eager/small_call.h"
#include "tessera/library/host/select.h"

namespace tessera::bind {

namespace {

/// The elements of a settled, contiguous, small array of this dtype, or null.
const char* small_data(const Array& array, DType dtype) {
  if (array.dtype() != dtype || array.ndim() == 0 || array.size() > eager::small_limit || !array.view.is_c_contiguous())
    return nullptr;
  const char* start = eager::readable(array);
  return start ? start + array.view.offset : nullptr;
}
const char* small_data(PyObject* key, DType dtype) {
  return Py_TYPE(key) == ndarray_type ? small_data(as_ndarray(key)->array, dtype) : nullptr;
}

std::span<const int64_t> indices(const char* numbers, int64_t n) {
  return {reinterpret_cast<const int64_t*>(numbers), static_cast<size_t>(n)};
}

/// Writes one value for each element where the mask is true; false, with nothing done, for other numbers of values.
bool put_masked(const Array& to, const Array& mask, const Array& values) {
  const char *chosen = small_data(mask, DType::boolean), *from = small_data(values, to.dtype());
  char* data = chosen && from ? eager::writable(to) : nullptr;
  if (!data || to.storage->pins > 0 || mask.storage->pins > 0 || to.ndim() != 1 || values.ndim() != 1 ||
      mask.shape() != to.shape() || values.size() == 1 || values.storage == to.storage || mask.storage == to.storage ||
      library::count_nonzero(chosen, DType::boolean, mask.size()) != values.size())
    return false;
  library::mask_assign(data + to.view.offset, to.view, chosen, mask.view, from, false);
  return true;
}

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
  const char* start = numbers || mask ? eager::readable(self->array) : nullptr;
  if (!start) return nullptr;
  const Array& index = as_ndarray(key)->array;
  if (mask) return pick_masked(start + view.offset, view, mask, index);
  int64_t row = eager::row_size(view);
  if (row < 0 || row * index.size() > eager::small_limit || index.ndim() + view.ndim() - 1 > max_ndim) return nullptr;
  View picked{.shape = index.shape()};
  for (int axis = 1; axis < view.ndim(); ++axis) picked.shape.push_back(view.shape[axis]);
  Object result(reinterpret_cast<PyObject*>(new_contiguous(picked, view.dtype)));
  bool in_range = eager::pick_rows(start + view.offset, view, indices(numbers, index.size()),
                                   static_cast<size_t>(row * view.itemsize()),
                                   as_ndarray(result.get())->array.storage->current->data);
  return in_range ? result.release() : nullptr;
}

Array try_small_take(const Array& array, const Array& index) {
  const char *numbers = small_data(index, DType::int64), *from = numbers ? eager::readable(array) : nullptr;
  if (!from || array.ndim() != 1) return {};
  Array taken = Engine::instance().empty(index.shape(), array.dtype());
  const bool in_range = eager::pick_rows(from + array.view.offset, array.view, indices(numbers, index.size()),
                                         static_cast<size_t>(array.view.itemsize()), Engine::instance().write(taken));
  return in_range ? taken : Array{};
}

bool try_small_put(const Array& to, const Array& index, const Array& values) {
  // Memory shared with other code may be the same under several storages.
  if (to.storage->pins > 0 || index.storage->pins > 0) return false;
  const char *numbers = small_data(index, DType::int64), *from = numbers ? small_data(values, to.dtype()) : nullptr;
  char* data = from && to.ndim() == 1 && values.shape() == index.shape() ? eager::writable(to) : nullptr;
  return data && values.storage != to.storage && index.storage != to.storage &&
         eager::put_elements(data + to.view.offset, to.view, indices(numbers, index.size()), from,
                             static_cast<size_t>(to.view.itemsize()));
}

bool try_small_put(NdArray* self, PyObject* key, PyObject* value) {
  const View& view = self->array.view;
  if (Py_TYPE(key) == ndarray_type && Py_TYPE(value) == ndarray_type) {
    const Array &index = as_ndarray(key)->array, &values = as_ndarray(value)->array;
    return is_boolean(index.dtype()) ? put_masked(self->array, index, values)
                                     : try_small_put(self->array, index, values);
  }
  if (view.ndim() != 1 || !is_number(value)) return false;
  const char* mask = small_data(key, DType::boolean);
  const char* numbers = mask ? nullptr : small_data(key, DType::int64);
  char* to = mask || numbers ? eager::writable(self->array) : nullptr;
  const Array& index = as_ndarray(key)->array;
  const bool is_shared = self->array.storage->pins > 0 || index.storage->pins > 0;
  if (!to || is_shared || index.storage == self->array.storage ||
      (mask && (index.ndim() != 1 || index.size() != view.shape[0])))
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
  return eager::put_elements(to, view, indices(numbers, index.size()), scalar.bytes, 0);
}

}  // namespace tessera::bind
