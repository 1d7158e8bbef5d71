/// host_call: helpers of the bindings of host routines: arguments, packed operands, results, the fallback to NumPy.
#pragma once

#include <Python.h>

#include <optional>
#include <utility>

#include "tessera/bind/array/dims.h"
#include "tessera/bind/array/ndarray.h"
#include "tessera/bind/array/object.h"
#include "tessera/bind/convert/arguments.h"
#include "tessera/bind/convert/convert.h"
#include "tessera/bind/engine/without_gil.h"
#include "tessera/engine/device/placement/placed_call.h"
#include "tessera/engine/engine.h"
#include "tessera/engine/record/windows.h"

namespace tessera::bind {

/// Thrown when an argument has a dtype that only NumPy computes with: the whole call then falls back to NumPy.
struct ForeignArgument {};

/// Converts the object as numpy.asarray does; throws ForeignArgument.
Array needed_array(PyObject* object, std::optional<DType> dtype = {});
/// The elements of a sequence as an array of indices; throws NumPy's TypeError when they are not integers.
Array index_array(PyObject* object, Casting casting = Casting::same_kind);
/// The array as one axis, for functions whose axis is None (axis then becomes 0).
Array flattened(const Array& array);

/// Elements in C order on the host, of one dtype; held unchanged for the lifetime of the object.
class Packed {
 public:
  explicit Packed(Array array, std::optional<DType> dtype = {});
  const char* data() const { return data_; }
  template <class T>
  const T* as() const {
    return reinterpret_cast<const T*>(data_);
  }
  const Dims& shape() const { return array_.shape(); }
  int64_t size() const { return array_.size(); }
  DType dtype() const { return array_.dtype(); }

 private:
  Array array_;
  Ref<graph::Version> held_;
  const char* data_;
};

/// The array, or its elements cast to the type: at once when they are few and settled, else recorded.
Array in_dtype(const Array& array, DType dtype);

/// A new array and the pointer for writing it.
struct Fresh {
  Array array;
  char* data;
  template <class T>
  T* as() const {
    return reinterpret_cast<T*>(data);
  }
};
Fresh fresh(std::span<const int64_t> shape, DType dtype);

/// The view with `axis` moved to the end, and the inverse.
View axis_last(const View& view, int axis);
View axis_back(const View& view, int axis);
/// An array of shape `moved` (axis last) as a new C-ordered array with the axis moved back to its position.
Array restore_axis(const Array& moved, int axis);
/// The product of the extents before an axis, its own extent, and the product of those after it.
struct Slabs {
  int64_t outer = 1, n = 1, inner = 1;
  Slabs(std::span<const int64_t> shape, int axis);
};

/// Assigns to out= when given, which must have the same shape and a type that casts safely to the result's (NumPy's
/// rule for functions that are not ufuncs), else wraps the result; 0-d results become NumPy scalars.
PyObject* deliver(const char* function, Array result, PyObject* out);
/// The same with any type of out=.
PyObject* deliver_cast(const char* function, Array result, PyObject* out);

/// The axis argument, normalised; fallback for None.
int to_axis(PyObject* axis, int ndim, int fallback);

/// Calls NumPy's function of this name on the host; counted and warned about like every fallback.
PyObject* call_numpy(const char* name, PyObject* const* args, Py_ssize_t nargs, PyObject* names);

/// Wraps body(Arguments&) as a METH_FASTCALL | METH_KEYWORDS function.
template <class Body>
PyObject* host_call(const char* name, PyObject* const* args, Py_ssize_t nargs, PyObject* names, Body&& body) {
  return guarded([&]() -> PyObject* {
    try {
      const engine::PlacedCall call(engine::own_recorder.recorder);
      Arguments arguments(name, args, nargs, names);
      return body(arguments);
    } catch (const ForeignArgument&) {
      return call_numpy(name, args, nargs, names);
    }
  });
}

using MethodFunction = PyObject* (*)(PyObject*, PyObject* const*, Py_ssize_t, PyObject*);
inline PyMethodDef host_method(const char* name, MethodFunction function, const char* doc) {
  return {name, reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function)), METH_FASTCALL | METH_KEYWORDS,
          doc};
}

}  // namespace tessera::bind
