#include "tessera/bind/array/dims.h"

#include <string>

#include "tessera/base/error.h"
#include "tessera/bind/array/object.h"

namespace tessera::bind {

namespace {

/// A requested shape as text for an error message; unknown extents read newaxis.
std::string requested_text(std::span<const int64_t> shape) {
  std::string text = "(";
  for (size_t i = 0; i < shape.size(); ++i) {
    if (i) text += ",";
    text += shape[i] < 0 ? "newaxis" : std::to_string(shape[i]);
  }
  return text + (shape.size() == 1 ? ",)" : ")");
}

/// One extent; NumPy has its own message for a value that does not fit an integer.
int64_t to_extent(PyObject* object) {
  try {
    return to_int(object);
  } catch (const ErrorAlreadySet&) {
    if (!PyErr_ExceptionMatches(PyExc_OverflowError)) throw;
    PyErr_Clear();
    throw ValueError("Maximum allowed dimension exceeded");
  }
}

}  // namespace

PyObject* make_tuple(std::span<const int64_t> values) {
  Object tuple = owned(PyTuple_New(static_cast<Py_ssize_t>(values.size())));
  for (size_t i = 0; i < values.size(); ++i) {
    PyTuple_SET_ITEM(tuple.get(), static_cast<Py_ssize_t>(i), checked(PyLong_FromLongLong(values[i])));
  }
  return tuple.release();
}

int64_t to_int(PyObject* object) {
  require<TypeError>(!PyBool_Check(object), "an integer is required");
  if (PyLong_CheckExact(object)) {
    int64_t value = PyLong_AsLongLong(object);
    if (value == -1 && PyErr_Occurred()) throw ErrorAlreadySet();
    return value;
  }
  Object index = owned(PyNumber_Index(object));
  return to_int(index.get());
}

Dims to_dims(PyObject* object) {
  if (PyIndex_Check(object) && !PySequence_Check(object)) return Dims{to_extent(object)};
  if (!PyTuple_Check(object) && !PyList_Check(object) && !PySequence_Check(object)) {
    require<TypeError>(false, "expected a sequence of integers or a single integer, got '{}'",
                       Py_TYPE(object)->tp_name);
  }
  Object items(PySequence_Fast(object, "expected a sequence of integers or a single integer"));
  if (!items) {
    // A 0-d array has the sequence protocol but no length.
    PyErr_Clear();
    return Dims{to_extent(object)};
  }
  Dims dims;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(items.get()); ++i) {
    dims.push_back(to_extent(PySequence_Fast_GET_ITEM(items.get(), i)));
  }
  require<ValueError>(dims.size() <= max_ndim, "maximum supported dimension for an ndarray is currently {}, found {}",
                      max_ndim, dims.size());
  return dims;
}

Order to_order(PyObject* object, Order fallback) {
  if (is_none(object)) return fallback;
  Py_ssize_t length = 0;
  const char* text = PyUnicode_Check(object) ? PyUnicode_AsUTF8AndSize(object, &length) : nullptr;
  if (!text) {
    PyErr_Clear();
    require<TypeError>(false, "order must be str, not {}", Py_TYPE(object)->tp_name);
  }
  switch (length == 1 ? text[0] & ~0x20 : 0) {
    case 'C': return Order::c;
    case 'F': return Order::f;
    case 'A': return Order::a;
    case 'K': return Order::k;
  }
  throw ValueError(std::string("order must be one of 'C', 'F', 'A', or 'K' (got '") + text + "')");
}

Dims complete_shape(Dims shape, int64_t size) {
  int unknown = -1;
  int64_t known = 1;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] < 0) {
      require<ValueError>(unknown < 0, "can only specify one unknown dimension");
      unknown = static_cast<int>(i);
    } else {
      known *= shape[i];
    }
  }
  bool fits = unknown < 0 ? known == size : known != 0 && size % known == 0;
  require<ValueError>(fits, "cannot reshape array of size {} into shape {}", size, requested_text(shape));
  if (unknown >= 0) shape[unknown] = size / known;
  return shape;
}

}  // namespace tessera::bind
