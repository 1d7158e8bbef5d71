/// Forwarding of calls that only NumPy can handle to tessera._fallback, which warns, counts and converts.
#pragma once

#include <Python.h>

#include <string>

#include "tessera/bind/ufunc/ufunc_apply.h"

namespace tessera::bind {

/// tessera._fallback.call(name, args, kwargs, reason): a new reference. kwargs may be null.
PyObject* call_fallback(const std::string& name, PyObject* args, PyObject* kwargs, const std::string& reason);
/// The same for a method of op's ufunc with vectorcall arguments; `method` is "" for the call itself.
PyObject* fall_back(const ops::Op& op, const char* method, PyObject* const* args, Py_ssize_t nargs, PyObject* names,
                    const Foreign& foreign);

/// Vectorcall arguments as a tuple and a dict (null without keywords): new references.
PyObject* pack_positional(PyObject* const* args, Py_ssize_t nargs);
PyObject* pack_keywords(PyObject* const* args, Py_ssize_t nargs, PyObject* names);

}  // namespace tessera::bind
