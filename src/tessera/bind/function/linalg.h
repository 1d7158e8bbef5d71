/// Linear algebra for Python: matmul and related products, dot, numpy.linalg's routines.
#pragma once

#include <nanobind/nanobind.h>

namespace tessera::bind {

/// The `@` operator: a new reference, NotImplemented where tessera does not compute with a dtype. Throws Error.
PyObject* matmul(PyObject* a, PyObject* b);

/// Adds the submodule `linalg`.
void bind_linalg(nanobind::module_& module);

}  // namespace tessera::bind
