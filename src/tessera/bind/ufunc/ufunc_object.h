/// Ufunc: the Python object of an op, with NumPy's attributes and methods.
#pragma once

#include <Python.h>

#include "tessera/ops/op.h"

namespace tessera::bind {

struct Ufunc {
  PyObject_HEAD vectorcallfunc vectorcall;
  const ops::Op* op;
};

// Both are set when the module is loaded (ufunc_type.cpp).
extern PyTypeObject* ufunc_type;
extern vectorcallfunc ufunc_vectorcall;

inline const ops::Op& op_of(PyObject* ufunc) { return *reinterpret_cast<Ufunc*>(ufunc)->op; }
/// The ufunc of an op; borrowed, created once.
PyObject* ufunc_of(const ops::Op& op);

// The methods, with METH_FASTCALL | METH_KEYWORDS arguments. They throw; the type's entry points catch.
PyObject* ufunc_reduce(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* names);
PyObject* ufunc_accumulate(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* names);
PyObject* ufunc_reduceat(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* names);
PyObject* ufunc_outer(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* names);
PyObject* ufunc_at(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* names);
PyObject* ufunc_resolve_dtypes(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* names);

}  // namespace tessera::bind
