/// NativeFunction: a public function of tessera.numpy. Calls a shortcut in C++ where there is one for the arguments,
/// else the Python function, and sends the call to NumPy when an argument turns out to be foreign.
#pragma once

#include <nanobind/nanobind.h>

namespace tessera::bind {

/// Answers a call without keyword arguments; null with no Python error set when it is not one for a shortcut.
using Shortcut = PyObject* (*)(PyObject* const* args, Py_ssize_t nargs);

/// The shortcut of a public function, or null.
Shortcut find_shortcut(const char* name);

/// Adds the type, and native(function, name) which makes one.
void bind_native_function(nanobind::module_& module);

}  // namespace tessera::bind
