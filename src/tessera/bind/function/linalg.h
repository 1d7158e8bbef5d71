/// Linear algebra for Python: matmul and related products, dot, numpy.linalg's routines.
#pragma once

#include <nanobind/nanobind.h>

namespace tessera::bind {

/// The `@` operator: a new reference, NotImplemented where tessera does not compute with a dtype. Throws Error.
PyObject* matmul(PyObject* a, PyObject* b);

/// numpy.dot of two arrays; null with no Python error set for other arguments.
PyObject* dot_of_arrays(PyObject* const* args, Py_ssize_t nargs);

/// Adds the submodule `linalg`.
void bind_linalg(nanobind::module_& module);

}  // namespace tessera::bind
