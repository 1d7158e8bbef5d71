/// Words that tell the types of arguments apart, so that a known list of them is found by comparing.
#pragma once

#include <Python.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "tessera/bind/convert/convert.h"
#include "tessera/bind/convert/dates.h"
#include "tessera/bind/convert/numpy_api.h"
#include "tessera/bind/engine/errors.h"
#include "tessera/kernel/host_routines.h"
#include "tessera/kernel/types/dates.h"
#include "tessera/layout/dtype.h"

namespace tessera::bind {

enum class ArgumentKind : uint32_t {
  scalar,
  array,
  tuple,
  none,
  text,
  dtype,
  list,
  record,
  bytes,
  function,
  slice,
  literal,
  object,
  member,
  date
};

inline uint32_t type_word(ArgumentKind kind, DType dtype, size_t axes_or_elements) {
  return static_cast<uint32_t>(kind) << 28 | static_cast<uint32_t>(dtype) << 20 |
         static_cast<uint32_t>(axes_or_elements);
}

/// Of an array of dates, or with no axes one of them; the dtype's place has the unit.
inline uint32_t date_word(kernel::Unit unit, size_t axes_and_one) {
  return type_word(ArgumentKind::date, static_cast<DType>(unit), axes_and_one);
}

inline ArgumentKind kind_of(uint32_t word) { return static_cast<ArgumentKind>(word >> 28); }
inline DType dtype_of(uint32_t word) { return static_cast<DType>(word >> 20 & 0xff); }
inline size_t count_of(uint32_t word) { return word & 0xfffff; }

/// A text, which may have NULs in it; one that has no UTF-8 raises UnicodeEncodeError.
inline std::string utf8_of(PyObject* text) {
  Py_ssize_t size = 0;
  const char* bytes = PyUnicode_AsUTF8AndSize(text, &size);
  if (!bytes) throw ErrorAlreadySet();
  return {bytes, static_cast<size_t>(size)};
}

/// An object of Python's.
inline PyObject* from_utf8(const std::string& text) {
  return PyUnicode_FromStringAndSize(text.data(), static_cast<Py_ssize_t>(text.size()));
}

/// Words that tell classes of named tuples apart by the names of their fields.
template <class Arguments>
void add_names(Arguments& to, PyObject* tuple) {
  PyObject* names = PyObject_GetAttrString(reinterpret_cast<PyObject*>(Py_TYPE(tuple)), "_fields");
  if (!names) return PyErr_Clear();
  std::string all;
  for (Py_ssize_t k = 0; PyTuple_Check(names) && k < PyTuple_GET_SIZE(names); ++k) {
    const char* name = PyUnicode_AsUTF8(PyTuple_GET_ITEM(names, k));
    if (name) all.append(name).append(",");
  }
  Py_DECREF(names);
  if (PyErr_Occurred()) throw ErrorAlreadySet();
  to.types.push_back(type_word(ArgumentKind::text, DType::boolean, 1));
  to.types.push_back(static_cast<uint32_t>(kernel::intern_text(all)));
}

/// Python's limit of nested calls holds for nested arguments, too.
class RecursionGuard {
 public:
  explicit RecursionGuard(const char* where) {
    if (Py_EnterRecursiveCall(where)) throw ErrorAlreadySet();
  }
  ~RecursionGuard() { Py_LeaveRecursiveCall(); }
  RecursionGuard(const RecursionGuard&) = delete;
  RecursionGuard& operator=(const RecursionGuard&) = delete;
};

/// Adds a function that is compiled with the caller, by its number; whether the object is one.
template <class Arguments>
bool add_function(Arguments& to, PyObject* object) {
  if (!PyCallable_Check(object)) return false;
  PyObject* number = PyObject_GetAttrString(object, "_number");
  if (!number) return PyErr_Clear(), false;
  if (!PyLong_Check(number)) return Py_DECREF(number), false;
  const uint32_t word = static_cast<uint32_t>(PyLong_AsUnsignedLong(number));
  Py_DECREF(number);
  if (PyErr_Occurred()) throw ErrorAlreadySet();
  to.types.push_back(type_word(ArgumentKind::function, DType::boolean, 0));
  to.types.push_back(word);
  return true;
}

/// Adds a NumPy dtype of numbers; whether the object is one.
template <class Arguments>
bool add_dtype(Arguments& to, PyObject* object) {
  const bool is_one = PyArray_DescrCheck(object) && is_native(object);
  const std::optional<DType> dtype = is_one ? dtype_of_descriptor(object) : std::nullopt;
  if (dtype) to.types.push_back(type_word(ArgumentKind::dtype, *dtype, 1));
  return dtype.has_value();
}

/// Adds a number, a type of numbers, a text, None or a tuple to a list of arguments; whether the object is one of
/// these.
template <class Arguments>
bool add_without_array(Arguments& to, PyObject* object) {
  if (object == Py_None) {
    to.types.push_back(type_word(ArgumentKind::none, DType::boolean, 0));
    return true;
  }
  if (object == Py_Ellipsis) {
    to.types.push_back(type_word(ArgumentKind::none, DType::boolean, 1));
    return true;
  }
  if (PyTuple_Check(object)) {
    const RecursionGuard guard(" in a tuple that is passed to a compiled function");
    const Py_ssize_t size = PyTuple_GET_SIZE(object);
    to.types.push_back(type_word(ArgumentKind::tuple, DType::boolean, static_cast<size_t>(size)));
    if (!PyTuple_CheckExact(object)) add_names(to, object);
    for (Py_ssize_t k = 0; k < size; ++k)
      if (!to.add(PyTuple_GET_ITEM(object, k))) return false;
    return true;
  }
  if (PySlice_Check(object)) {
    const auto* slice = reinterpret_cast<PySliceObject*>(object);
    to.types.push_back(type_word(ArgumentKind::slice, DType::boolean, 3));
    return to.add(slice->start) && to.add(slice->stop) && to.add(slice->step);
  }
  if (PyUnicode_CheckExact(object) || PyArray_IsScalar(object, Unicode)) {
    to.types.push_back(type_word(ArgumentKind::text, DType::boolean, 0));
    to.types.push_back(static_cast<uint32_t>(kernel::intern_text(utf8_of(object))));
    return true;
  }
  if (PyType_Check(object)) {
    const std::optional<DType> dtype = dtype_of_scalar_type(reinterpret_cast<PyTypeObject*>(object));
    if (dtype) to.types.push_back(type_word(ArgumentKind::dtype, *dtype, 0));
    return dtype.has_value();
  }
  int64_t word = 0;
  if (const kernel::Unit unit = unit_of_number(object, word)) {
    to.types.push_back(date_word(unit, 0));
    to.scalars.push_back(Scalar::of_int(DType::int64, word));
    return true;
  }
  const std::optional<Scalar> value = python_scalar(object);
  if (!value) return add_dtype(to, object) || add_function(to, object);
  to.types.push_back(type_word(ArgumentKind::scalar, value->dtype, 0));
  to.scalars.push_back(*value);
  return true;
}

}  // namespace tessera::bind
