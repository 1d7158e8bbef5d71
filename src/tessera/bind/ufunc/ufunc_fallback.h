/// Forwarding of calls that only NumPy can handle to tessera._fallback, which warns, counts and converts.
#pragma once

#include <Python.h>

#include <initializer_list>
#include <string>

#include "tessera/bind/ufunc/ufunc_apply.h"

namespace tessera::bind {

/// tessera._fallback.call(name, args, kwargs, reason): a new reference. kwargs may be null.
PyObject* call_fallback(const std::string& name, PyObject* args, PyObject* kwargs, const std::string& reason);
/// The same for a plain call of op's ufunc.
PyObject* fall_back(const ops::Op& op, std::initializer_list<PyObject*> inputs, PyObject* out, const Foreign& foreign);
/// The same with vectorcall arguments, `method` being "" for the call itself.
PyObject* fall_back(const ops::Op& op, const char* method, PyObject* const* args, Py_ssize_t nargs, PyObject* names,
                    const Foreign& foreign);

/// Vectorcall arguments as a tuple and a dict (null without keywords): new references.
PyObject* pack_positional(PyObject* const* args, Py_ssize_t nargs);
PyObject* pack_keywords(PyObject* const* args, Py_ssize_t nargs, PyObject* names);

}  // namespace tessera::bind
