/// Object: one owned reference to a Python object.
#pragma once

#include <Python.h>

#include <utility>

#include "tessera/bind/engine/errors.h"

namespace tessera::bind {

class Object {
 public:
  Object() = default;
  /// Takes over a new reference (null stays null).
  explicit Object(PyObject* owned) : object_(owned) {}
  Object(Object&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Object& operator=(Object&& other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Object() { Py_XDECREF(object_); }

  static Object borrowed(PyObject* object) { return Object(Py_XNewRef(object)); }
  PyObject* get() const { return object_; }
  PyObject* release() { return std::exchange(object_, nullptr); }
  explicit operator bool() const { return object_ != nullptr; }

 private:
  PyObject* object_ = nullptr;
};

/// Wraps the new reference that a C API function returned in an Object; throws for null.
inline Object owned(PyObject* object) { return Object(checked(object)); }

}  // namespace tessera::bind
