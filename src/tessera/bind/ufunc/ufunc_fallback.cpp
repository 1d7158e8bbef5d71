#include "tessera/bind/ufunc/ufunc_fallback.h"

#include "tessera/base/error.h"
#include "tessera/bind/array/object.h"
#include "tessera/bind/engine/kept.h"
#include "tessera/profile/account.h"

namespace tessera::bind {

namespace {

/// The ufunc's name in NumPy; special functions are SciPy's.
std::string host_name(const ops::Op& op) {
  std::string name(op.name);
  return op.kind == ops::OpKind::special ? "scipy.special." + name : name;
}

}  // namespace

PyObject* call_fallback(const std::string& name, PyObject* args, PyObject* kwargs, const std::string& reason) {
  const profile::InRow row(profile::Row::running);
  static constinit Imported call("tessera._fallback", "call");
  return checked(PyObject_CallFunction(call, "sOOs", name.c_str(), args, kwargs ? kwargs : Py_None, reason.c_str()));
}

PyObject* fall_back(const ops::Op& op, const char* method, PyObject* const* args, Py_ssize_t nargs, PyObject* names,
                    const Foreign& foreign) {
  if (op.user) throw TypeError(format("ufunc '{}' is compiled for numbers: {}", op.name, foreign.reason));
  Object positional = owned(pack_positional(args, nargs));
  Object keywords(pack_keywords(args, nargs, names));
  std::string name = host_name(op);
  if (*method) name += std::string(".") + method;
  return call_fallback(name, positional.get(), keywords.get(), foreign.reason);
}

PyObject* pack_positional(PyObject* const* args, Py_ssize_t nargs) {
  Object tuple = owned(PyTuple_New(nargs));
  for (Py_ssize_t i = 0; i < nargs; ++i) PyTuple_SET_ITEM(tuple.get(), i, Py_NewRef(args[i]));
  return tuple.release();
}

PyObject* pack_keywords(PyObject* const* args, Py_ssize_t nargs, PyObject* names) {
  if (!names || PyTuple_GET_SIZE(names) == 0) return nullptr;
  Object dict = owned(PyDict_New());
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(names); ++i) {
    checked(PyDict_SetItem(dict.get(), PyTuple_GET_ITEM(names, i), args[nargs + i]));
  }
  return dict.release();
}

}  // namespace tessera::bind
