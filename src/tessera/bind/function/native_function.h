/// NativeFunction: a public function of tessera.numpy. Calls a C++ shortcut where one accepts the arguments, else the
/// Python function; falls back to NumPy when an argument has a foreign dtype.
#pragma once

#include <nanobind/nanobind.h>

namespace tessera::bind {

/// Handles a call without keyword arguments; null with no Python error set when the shortcut does not apply.
using Shortcut = PyObject* (*)(PyObject* const* args, Py_ssize_t nargs);

/// The shortcut of a public function, or null.
Shortcut find_shortcut(const char* name);

/// Adds the type, and native(function, name), which creates an instance.
void bind_native_function(nanobind::module_& module);

}  // namespace tessera::bind
