/// Ufuncs that users' functions define: they gain loops for new types, and follow the globals that they read.
#pragma once

#include <Python.h>

#include "tessera/bind/array/object.h"
#include "tessera/bind/ufunc/ufunc_object.h"

namespace tessera::bind {

inline Ufunc* as_ufunc(PyObject* object) { return reinterpret_cast<Ufunc*>(object); }
inline bool is_users(PyObject* ufunc) { return as_ufunc(ufunc)->definition != nullptr; }

/// Compiles anew if a global name that the function reads has another value now.
void refresh(Ufunc* ufunc);
/// Adds a loop for operands of these types.
void add_loop(Ufunc* ufunc, const ops::NoLoop& missing);
/// What the definition gives for a call or a method: a new reference.
PyObject* run_definition(PyObject* self, const char* method, PyObject* const* args, Py_ssize_t nargs, PyObject* names);
/// The result in NumPy's arrays where no argument is one of tessera's and some are NumPy's; takes over `result`.
PyObject* as_arguments(Object result, PyObject* const* args, Py_ssize_t nargs, PyObject* names);

/// Runs a call or method of a user's ufunc: `body` makes the result.
template <class Body>
PyObject* call_users(PyObject* self, const char* method, PyObject* const* args, Py_ssize_t nargs, PyObject* names,
                     Body body) {
  Ufunc* ufunc = as_ufunc(self);
  refresh(ufunc);
  for (;;) {
    if (ufunc->by_definition) return run_definition(self, method, args, nargs, names);
    const Ref<const ops::UserOp> alive = ops::owner_of(*ufunc->op);  // while it runs, whatever other threads compile
    try {
      return as_arguments(Object(body()), args, nargs, names);
    } catch (const ops::NoLoop& missing) {
      add_loop(ufunc, missing);
    }
  }
}

}  // namespace tessera::bind
