// Public functions with plain arguments, computed without entering Python code.
#include <cmath>
#include <cstring>
#include <string_view>

#include "tessera/bind/array/dims.h"
#include "tessera/bind/array/ndarray.h"
#include "tessera/bind/array/object.h"
#include "tessera/bind/convert/numpy_api.h"
#include "tessera/bind/function/einsum_shortcut.h"
#include "tessera/bind/function/linalg.h"
#include "tessera/bind/function/native_function.h"
#include "tessera/bind/scalar/elements.h"
#include "tessera/eager/host_array.h"
#include "tessera/eager/small_call.h"
#include "tessera/library/host/select.h"

namespace tessera::bind {

namespace {

bool is_exact_ndarray(PyObject* object) { return Py_TYPE(object) == ndarray_type; }

/// A shape of one exact int or a tuple of them, all small and not negative.
bool read_plain_shape(PyObject* object, Dims& shape) {
  auto extent = [&](PyObject* item) {
    int64_t value;
    if (!PyLong_CheckExact(item) || !read_int(item, value) || value < 0 || value > (1LL << 40)) return false;
    shape.push_back(value);
    return true;
  };
  if (!PyTuple_CheckExact(object)) return extent(object);
  if (PyTuple_GET_SIZE(object) > 3) return false;
  for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(object); ++k) {
    if (!extent(PyTuple_GET_ITEM(object, k))) return false;
  }
  return true;
}

/// full(shape, value) with a Python float, int or bool.
PyObject* full(PyObject* const* args, Py_ssize_t nargs) {
  if (nargs != 2) return nullptr;
  PyObject* value = args[1];
  Scalar scalar;
  if (PyFloat_CheckExact(value))
    scalar = Scalar::of_float(DType::float64, PyFloat_AS_DOUBLE(value));
  else if (PyBool_Check(value))
    scalar = Scalar::of_bool(value == Py_True);
  else
    return nullptr;
  return guarded([&]() -> PyObject* {
    Dims shape;
    return read_plain_shape(args[0], shape) ? wrap(Engine::instance().full(shape, scalar)) : nullptr;
  });
}

/// arange of ints whose differences are exact as doubles, with which NumPy counts.
PyObject* arange(PyObject* const* args, Py_ssize_t nargs) {
  constexpr int64_t exact = int64_t{1} << 52;
  if (nargs < 1 || nargs > 3) return nullptr;
  int64_t given[3];
  for (Py_ssize_t k = 0; k < nargs; ++k) {
    if (!PyLong_CheckExact(args[k]) || !read_int(args[k], given[k]) || given[k] > exact || given[k] < -exact)
      return nullptr;
  }
  const int64_t start = nargs == 1 ? 0 : given[0];
  const int64_t stop = nargs == 1 ? given[0] : given[1];
  const int64_t step = nargs == 3 ? given[2] : 1;
  if (step == 0) return nullptr;
  const double length = std::ceil(static_cast<double>(stop - start) / static_cast<double>(step));
  return guarded([&] {
    return wrap_made([&] {
      return Engine::instance().arange(Scalar::of_int(DType::int64, start), Scalar::of_int(DType::int64, start + step),
                                       length > 0 ? static_cast<int64_t>(length) : 0);
    });
  });
}

/// *_like(a) of arrays whose memory order is C.
PyObject* like(PyObject* const* args, Py_ssize_t nargs, std::optional<int64_t> value) {
  if (nargs != 1 || !is_exact_ndarray(args[0])) return nullptr;
  const Array& model = as_ndarray(args[0])->array;
  if (model.ndim() > 1 && !model.view.is_c_contiguous()) return nullptr;
  return guarded([&] {
    Engine& engine = Engine::instance();
    if (!value) return wrap(engine.empty(model.shape(), model.dtype()));
    return wrap(engine.full(model.shape(), Scalar::of_int(DType::int64, *value).cast_to(model.dtype())));
  });
}

PyObject* empty_like(PyObject* const* args, Py_ssize_t nargs) { return like(args, nargs, {}); }
PyObject* zeros_like(PyObject* const* args, Py_ssize_t nargs) { return like(args, nargs, 0); }
PyObject* ones_like(PyObject* const* args, Py_ssize_t nargs) { return like(args, nargs, 1); }

/// count_nonzero(a) of a small settled array.
PyObject* count_nonzero(PyObject* const* args, Py_ssize_t nargs) {
  if (nargs != 1 || !is_exact_ndarray(args[0])) return nullptr;
  const Array& array = as_ndarray(args[0])->array;
  const char* start = array.size() <= eager::small_limit ? eager::readable(array) : nullptr;
  if (!start || !array.view.is_c_contiguous()) return nullptr;
  const int64_t count = library::count_nonzero(start + array.view.offset, array.dtype(), array.size());
  return make_numpy_scalar(DType::int64, &count);
}

/// flip(a) along all axes.
PyObject* flip(PyObject* const* args, Py_ssize_t nargs) {
  if (nargs != 1 || !is_exact_ndarray(args[0])) return nullptr;
  NdArray* self = as_ndarray(args[0]);
  View view = self->array.view;
  if (view.ndim() == 0 || view.size() == 0) return nullptr;
  for (int axis = 0; axis < view.ndim(); ++axis) {
    view.offset += (view.shape[axis] - 1) * view.strides[axis];
    view.strides[axis] = -view.strides[axis];
  }
  return guarded([&] { return wrap_view(self, std::move(view)); });
}

/// eye(n) of a small n.
PyObject* eye(PyObject* const* args, Py_ssize_t nargs) {
  Dims extent;
  if (nargs != 1 || !PyLong_CheckExact(args[0]) || !read_plain_shape(args[0], extent) || extent[0] > 64) return nullptr;
  return guarded([&] {
    Engine& engine = Engine::instance();
    int64_t n = extent[0];
    Array result = engine.empty(Dims{n, n}, DType::float64);
    auto* element = reinterpret_cast<double*>(engine.write(result));
    std::memset(element, 0, sizeof(double) * n * n);
    for (int64_t k = 0; k < n; ++k) element[k * (n + 1)] = 1.0;
    return wrap(std::move(result));
  });
}

/// Functions that return an attribute.
PyObject* ask(PyObject* const* args, Py_ssize_t nargs, const char* attribute) {
  if (nargs != 1 || !is_exact_ndarray(args[0])) return nullptr;
  return PyObject_GetAttrString(args[0], attribute);
}
PyObject* real(PyObject* const* args, Py_ssize_t nargs) { return ask(args, nargs, "real"); }
PyObject* imag(PyObject* const* args, Py_ssize_t nargs) { return ask(args, nargs, "imag"); }

struct Entry {
  std::string_view name;
  Shortcut shortcut;
};
constexpr Entry table[] = {
    {"arange", arange},
    {"count_nonzero", count_nonzero},
    {"dot", dot_of_arrays},
    {"einsum", einsum_shortcut},
    {"empty_like", empty_like},
    {"eye", eye},
    {"flip", flip},
    {"full", full},
    {"imag", imag},
    {"ones_like", ones_like},
    {"real", real},
    {"zeros_like", zeros_like},
};

}  // namespace

Shortcut find_shortcut(const char* name) {
  for (const Entry& entry : table) {
    if (entry.name == name) return entry.shortcut;
  }
  return nullptr;
}

}  // namespace tessera::bind
