#include <nanobind/nanobind.h>

#include <cstring>
#include <string_view>

#include "tessera/bind/array/dims.h"
#include "tessera/bind/array/ndarray.h"
#include "tessera/bind/array/object.h"
#include "tessera/bind/bindings.h"
#include "tessera/bind/convert/convert.h"
#include "tessera/bind/convert/dtypes.h"
#include "tessera/bind/convert/numpy_api.h"
#include "tessera/bind/index/store.h"

namespace nb = nanobind;

namespace tessera::bind {

namespace {

// The most common calls of creation functions, recognised with a few comparisons. All other calls go to the given
// Python function, which the builtin holds as its self.

/// The dtype that a dtype argument names, if no text must be parsed; absent and None mean `fallback`.
std::optional<DType> quick_dtype(PyObject* object, DType fallback) {
  if (!object || object == Py_None) return fallback;
  if (PyArray_DescrCheck(object)) return is_native(object) ? dtype_of_descriptor(object) : std::nullopt;
  if (object == reinterpret_cast<PyObject*>(&PyFloat_Type)) return DType::float64;
  if (object == reinterpret_cast<PyObject*>(&PyLong_Type)) return DType::int64;
  if (object == reinterpret_cast<PyObject*>(&PyBool_Type)) return DType::boolean;
  if (PyType_Check(object)) return dtype_of_scalar_type(reinterpret_cast<PyTypeObject*>(object));
  return std::nullopt;
}

/// The second argument, by position or as dtype=; false when there are others.
bool only_dtype(PyObject* const* args, Py_ssize_t nargs, PyObject* names, PyObject*& dtype) {
  dtype = nargs == 2 ? args[1] : nullptr;
  if (nargs < 1 || nargs > 2) return false;
  if (!names || PyTuple_GET_SIZE(names) == 0) return true;
  if (nargs != 1 || PyTuple_GET_SIZE(names) != 1) return false;
  if (PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(names, 0), "dtype") != 0) return false;
  dtype = args[1];
  return true;
}

bool quick_extent(PyObject* object, Dims& shape) {
  if (!PyLong_CheckExact(object)) return false;
  int64_t extent;
  if (!read_int(object, extent) || extent < 0) return false;
  shape.push_back(extent);
  return true;
}

bool quick_shape(PyObject* object, Dims& shape) {
  if (!PyTuple_CheckExact(object)) return quick_extent(object, shape);
  if (PyTuple_GET_SIZE(object) > 4) return false;
  for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(object); ++k) {
    if (!quick_extent(PyTuple_GET_ITEM(object, k), shape)) return false;
  }
  return true;
}

/// Creates the array with `make(shape, dtype)` when shape and dtype are of a common kind.
template <class Make>
PyObject* by_shape(PyObject* slow, PyObject* const* args, Py_ssize_t nargs, PyObject* names, Make make) {
  return guarded([&] {
    PyObject* dtype_object;
    Dims shape;
    if (only_dtype(args, nargs, names, dtype_object) && quick_shape(args[0], shape)) {
      if (auto dtype = quick_dtype(dtype_object, DType::float64)) return wrap_made([&] { return make(shape, *dtype); });
    }
    return PyObject_Vectorcall(slow, args, static_cast<size_t>(nargs), names);
  });
}

PyObject* empty(PyObject* slow, PyObject* const* args, Py_ssize_t nargs, PyObject* names) {
  return by_shape(slow, args, nargs, names,
                  [](const Dims& shape, DType dtype) { return Engine::instance().empty(shape, dtype); });
}

PyObject* filled(PyObject* slow, PyObject* const* args, Py_ssize_t nargs, PyObject* names, int64_t value) {
  return by_shape(slow, args, nargs, names, [=](const Dims& shape, DType dtype) {
    return Engine::instance().full(shape, Scalar::of_int(DType::int64, value).cast_to(dtype));
  });
}

PyObject* zeros(PyObject* slow, PyObject* const* args, Py_ssize_t nargs, PyObject* names) {
  constexpr int64_t small = 1 << 15;
  return by_shape(slow, args, nargs, names, [](const Dims& shape, DType dtype) {
    int64_t bytes = checked_size(shape, itemsize(dtype)) * itemsize(dtype);
    if (bytes > small) return Engine::instance().full(shape, Scalar::of_int(DType::int64, 0).cast_to(dtype));
    Array array = Engine::instance().empty(shape, dtype);
    std::memset(array.storage->current->data, 0, static_cast<size_t>(bytes));
    return array;
  });
}

PyObject* ones(PyObject* slow, PyObject* const* args, Py_ssize_t nargs, PyObject* names) {
  return filled(slow, args, nargs, names, 1);
}

/// An array from a list or tuple of only Python floats, or only ints of 64 bits; nothing for others.
std::optional<Array> from_numbers(PyObject* sequence) {
  Py_ssize_t n = PySequence_Fast_GET_SIZE(sequence);
  PyObject** items = PySequence_Fast_ITEMS(sequence);
  if (n == 0) return std::nullopt;
  bool floats = PyFloat_CheckExact(items[0]);
  Array array = Engine::instance().empty(Dims{n}, floats ? DType::float64 : DType::int64);
  char* to = Engine::instance().write(array);
  for (Py_ssize_t k = 0; k < n; ++k) {
    if (floats) {
      if (!PyFloat_CheckExact(items[k])) return std::nullopt;
      double value = PyFloat_AS_DOUBLE(items[k]);
      std::memcpy(to + k * 8, &value, 8);
    } else {
      int overflow = 0;
      if (!PyLong_CheckExact(items[k])) return std::nullopt;
      int64_t value = PyLong_AsLongLongAndOverflow(items[k], &overflow);
      if (overflow) return std::nullopt;
      std::memcpy(to + k * 8, &value, 8);
    }
  }
  return array;
}

PyObject* array(PyObject* slow, PyObject* const* args, Py_ssize_t nargs, PyObject* names) {
  return guarded([&] {
    if (nargs == 1 && !names) {
      PyObject* object = args[0];
      if (PyList_CheckExact(object) || PyTuple_CheckExact(object)) {
        if (auto made = from_numbers(object)) return wrap(std::move(*made));
      } else if (Py_TYPE(object) == ndarray_type) {
        const Array& source = as_ndarray(object)->array;
        return wrap(copy_array(source, source.dtype(), Order::k));
      }
    }
    return PyObject_Vectorcall(slow, args, static_cast<size_t>(nargs), names);
  });
}

PyObject* asarray(PyObject* slow, PyObject* const* args, Py_ssize_t nargs, PyObject* names) {
  if (nargs == 1 && !names) {
    if (Py_TYPE(args[0]) == ndarray_type) return Py_NewRef(args[0]);
    return array(slow, args, nargs, names);
  }
  return PyObject_Vectorcall(slow, args, static_cast<size_t>(nargs), names);
}

#define TESSERA_QUICK(name, signature, doc)                                                                 \
  {#name, reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(name)), METH_FASTCALL | METH_KEYWORDS, \
   #name signature "\n--\n\n" doc}

#define TESSERA_NEW_ARRAY                                                            \
  "\n\nShapes: `shape`, an integer or several. Dtypes: any; float64 unless given.\n" \
  "Errors: ValueError for a negative length, an unknown order or device; MemoryError where it cannot fit."
#define TESSERA_READ_ARRAY "Dtypes: `dtype`, else what NumPy finds in the object.\nErrors: "

PyMethodDef creation_functions[] = {
    TESSERA_QUICK(empty, "(shape, dtype=None, order='C', *, device=None, like=None)",
                  "A new array whose elements are not set." TESSERA_NEW_ARRAY),
    TESSERA_QUICK(zeros, "(shape, dtype=None, order='C', *, device=None, like=None)",
                  "A new array of zeros." TESSERA_NEW_ARRAY),
    TESSERA_QUICK(ones, "(shape, dtype=None, order='C', *, device=None, like=None)",
                  "A new array of ones." TESSERA_NEW_ARRAY),
    TESSERA_QUICK(array, "(object, dtype=None, *, copy=True, order='K', subok=False, ndmin=0, ndmax=0, like=None)",
                  "An array made from any object that NumPy reads as one.\n\n"
                  "Shapes: that of the nested sequences, with axes of 1 in front up to `ndmin`. " TESSERA_READ_ARRAY
                  "ValueError for ragged sequences, an unknown order, or `copy=False` where one is needed;\n"
                  "TypeError for what does not convert to `dtype`."),
    TESSERA_QUICK(asarray, "(a, dtype=None, order=None, *, device=None, copy=None, like=None)",
                  "The object as an array, itself when it already is one of that dtype and order.\n\n"
                  "Shapes: that of the nested sequences. " TESSERA_READ_ARRAY
                  "ValueError for ragged sequences, an unknown order or device, or `copy=False` where one is needed;\n"
                  "TypeError for what does not convert to `dtype`."),
};
#undef TESSERA_NEW_ARRAY
#undef TESSERA_READ_ARRAY
#undef TESSERA_QUICK

nb::object quick(nb::object function) {
  std::string_view name = nb::cast<nb::str>(function.attr("__name__")).c_str();
  nb::object module = function.attr("__module__");
  for (PyMethodDef& method : creation_functions) {
    if (name == method.ml_name) return nb::steal(checked(PyCFunction_NewEx(&method, function.ptr(), module.ptr())));
  }
  return function;
}

}  // namespace

void bind_quick(nb::module_& m) {
  m.def("quick", quick, nb::arg("function"),
        "The same function with a short way for its commonest calls, where there is one; a decorator.");
}

}  // namespace tessera::bind
