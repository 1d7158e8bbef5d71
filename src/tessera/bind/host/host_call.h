/// host_call: what the functions over the host routines share: arguments, packed operands, results, the way to NumPy.
#pragma once

#include <Python.h>

#include <optional>
#include <utility>

#include "tessera/bind/arguments.h"
#include "tessera/bind/convert.h"
#include "tessera/bind/dims.h"
#include "tessera/bind/ndarray.h"
#include "tessera/bind/object.h"
#include "tessera/engine/device/placed_call.h"
#include "tessera/engine/engine.h"

namespace tessera::bind {

/// Thrown when an argument is of a dtype only NumPy computes with: the whole call then goes to NumPy.
struct ForeignArgument {};

/// numpy.asarray's reading; throws ForeignArgument.
Array needed_array(PyObject* object, std::optional<DType> dtype = {});
/// A sequence's elements as an array of indices; throws NumPy's TypeError when they are no integers.
Array index_array(PyObject* object, Casting casting = Casting::same_kind);
/// needed_array, flattened when axis is None (and axis becomes 0).
Array flattened(const Array& array);

/// Elements in C order on the host, of one dtype. They stay what they are while this lives.
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

/// A new array and where to write it.
struct Fresh {
  Array array;
  char* data;
  template <class T>
  T* as() const {
    return reinterpret_cast<T*>(data);
  }
};
Fresh fresh(std::span<const int64_t> shape, DType dtype);

/// The view with `axis` moved to the end, and back.
View axis_last(const View& view, int axis);
View axis_back(const View& view, int axis);
/// An array of shape `moved` (axis last) as a new C-ordered array with the axis back in its place.
Array restore_axis(const Array& moved, int axis);
/// Extents before, along and after an axis.
struct Slabs {
  int64_t outer = 1, n = 1, inner = 1;
  Slabs(std::span<const int64_t> shape, int axis);
};

/// Writes into out= when it was given, of the same shape and of a type that goes into the result's safely (NumPy's rule
/// for what is no ufunc), else wraps; 0-d results become NumPy scalars.
PyObject* deliver(const char* function, Array result, PyObject* out);
/// The same with any type for out=.
PyObject* deliver_cast(const char* function, Array result, PyObject* out);

/// The axis argument, normalised; fallback for None.
int to_axis(PyObject* axis, int ndim, int fallback);

/// Runs a library routine without the GIL when there is enough to do. Arrays are made, read and dropped with the GIL
/// held: it is the engine's lock.
template <class F>
void without_gil(int64_t elements, F&& routine) {
  constexpr int64_t small_work = 8192;  // giving up the GIL would cost more than it frees
  if (elements < small_work) return routine();
  struct Release {
    PyThreadState* state = PyEval_SaveThread();
    ~Release() { PyEval_RestoreThread(state); }
  } release;
  routine();
}

/// NumPy's function of this name on the host, counted and warned about as every fallback is.
PyObject* call_numpy(const char* name, PyObject* const* args, Py_ssize_t nargs, PyObject* names);

/// A METH_FASTCALL | METH_KEYWORDS function around body(Arguments&).
template <class Body>
PyObject* host_call(const char* name, PyObject* const* args, Py_ssize_t nargs, PyObject* names, Body&& body) {
  return guarded([&]() -> PyObject* {
    try {
      const engine::PlacedCall call;
      Arguments arguments(name, args, nargs, names);
      return body(arguments);
    } catch (const ForeignArgument&) {
      return call_numpy(name, args, nargs, names);
    }
  });
}

using HostFunction = PyObject* (*)(PyObject*, PyObject* const*, Py_ssize_t, PyObject*);
inline PyMethodDef host_method(const char* name, HostFunction function, const char* doc) {
  return {name, reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function)), METH_FASTCALL | METH_KEYWORDS,
          doc};
}

}  // namespace tessera::bind
