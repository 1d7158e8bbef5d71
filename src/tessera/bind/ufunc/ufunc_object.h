/// Ufunc: the Python object of an op, with NumPy's attributes and methods.
#pragma once

#include <Python.h>

#include "tessera/bind/kernel/calls/captured_names.h"
#include "tessera/ops/user_op.h"

namespace tessera::bind {

struct Ufunc {
  PyObject_HEAD vectorcallfunc vectorcall;
  const ops::Op* op;
  // Of a ufunc that a user's function defines; else null.
  PyObject* definition;  // the Python side, whose attributes are this object's, too
  PyObject* weakrefs;
  PyObject* names_owner;
  CapturedNames* names;
  uint64_t compiled_at;  // of the names
  bool by_definition;    // whose definition runs calls and methods: the function does what bodies of ops do not
};

// Both are set when the module is loaded (ufunc_type.cpp).
extern PyTypeObject* ufunc_type;
extern vectorcallfunc ufunc_vectorcall;

inline const ops::Op& op_of(PyObject* ufunc) { return *reinterpret_cast<Ufunc*>(ufunc)->op; }
/// The ufunc of an op; borrowed, of the table's created once.
PyObject* ufunc_of(const ops::Op& op);
/// Gives the ufunc of a user's function its op.
void set_op(Ufunc* ufunc, Ref<const ops::UserOp> op);

// The methods, with METH_FASTCALL | METH_KEYWORDS arguments. They throw; the type's entry points catch.
PyObject* ufunc_reduce(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* names);
PyObject* ufunc_accumulate(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* names);
PyObject* ufunc_reduceat(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* names);
PyObject* ufunc_outer(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* names);
PyObject* ufunc_at(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* names);
PyObject* ufunc_resolve_dtypes(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* names);

}  // namespace tessera::bind
