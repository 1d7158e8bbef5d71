/// Translation of errors between C++ and Python.
#pragma once

#include <Python.h>

#include <string>
#include <utility>

#include "tessera/profile/account.h"

namespace tessera::bind {

/// Thrown when a call into Python failed and the Python error is already set.
struct ErrorAlreadySet {};

/// Sets the Python error for the C++ exception being handled; call in a catch block.
void set_python_error();
/// Adds a line to the current error, whose message stays what it is.
void add_note(const std::string& text);

/// Runs body at the C boundary: returns its result, or `failure` with the Python error set when it throws.
template <class Body, class Result>
Result guarded(Body&& body, Result failure) {
  const profile::InRow row(profile::Row::recording);
  try {
    return std::forward<Body>(body)();
  } catch (...) {
    set_python_error();
    return failure;
  }
}
template <class Body>
PyObject* guarded(Body&& body) {
  return guarded(std::forward<Body>(body), static_cast<PyObject*>(nullptr));
}

/// Passes a new reference through, or throws ErrorAlreadySet for null.
inline PyObject* checked(PyObject* object) {
  if (!object) [[unlikely]]
    throw ErrorAlreadySet();
  return object;
}
inline void checked(int status) {
  if (status < 0) [[unlikely]]
    throw ErrorAlreadySet();
}

/// A new reference to module.attribute, throwing when it is missing.
PyObject* import_attribute(const char* module, const char* attribute);

}  // namespace tessera::bind
