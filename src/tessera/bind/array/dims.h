/// Conversion of shapes, strides and axes between Python and the engine.
#pragma once

#include <Python.h>

#include <span>

#include "tessera/layout/view.h"

namespace tessera::bind {

/// A new tuple of ints.
PyObject* make_tuple(std::span<const int64_t> values);
/// An int or a sequence of ints; throws TypeError with NumPy's message.
Dims to_dims(PyObject* object);
/// One integer by __index__; throws ErrorAlreadySet.
int64_t to_int(PyObject* object);
/// An order argument, interpreted as NumPy does (None and absent give `fallback`).
Order to_order(PyObject* object, Order fallback);
/// The shape with its -1 (at most one) replaced by the extent that `size` implies; throws ValueError with reshape's
/// message.
Dims complete_shape(Dims shape, int64_t size);
/// Reads an exact Python int, without a call when it is short; false when it has more than 64 bits.
inline bool read_int(PyObject* object, int64_t& value) {
  auto* number = reinterpret_cast<PyLongObject*>(object);
#if PY_VERSION_HEX >= 0x030C0000
  if (PyUnstable_Long_IsCompact(number)) [[likely]] {
    value = PyUnstable_Long_CompactValue(number);
    return true;
  }
#else
  if (const Py_ssize_t digits = Py_SIZE(object); digits >= -1 && digits <= 1) [[likely]] {
    value = digits * static_cast<int64_t>(number->ob_digit[0]);
    return true;
  }
#endif
  int overflow = 0;
  value = PyLong_AsLongLongAndOverflow(object, &overflow);
  return overflow == 0;
}
/// True for None or a missing argument.
inline bool is_none(PyObject* object) { return !object || object == Py_None; }

}  // namespace tessera::bind
