/// The type of ufunc objects: its slots, methods and attributes.
#include <Python.h>
#include <structmember.h>

#include <cstddef>
#include <string>
#include <vector>

#include "tessera/base/error.h"
#include "tessera/bind/array/object.h"
#include "tessera/bind/bindings.h"
#include "tessera/bind/convert/numpy_api.h"
#include "tessera/bind/engine/kept.h"
#include "tessera/bind/host/host_call.h"
#include "tessera/bind/method/method_docs.h"
#include "tessera/bind/ufunc/ufunc_arguments.h"
#include "tessera/bind/ufunc/ufunc_call.h"
#include "tessera/bind/ufunc/ufunc_doc.h"
#include "tessera/bind/ufunc/ufunc_fallback.h"
#include "tessera/bind/ufunc/ufunc_object.h"
#include "tessera/bind/ufunc/ufunc_override.h"
#include "tessera/bind/ufunc/user_ufunc.h"
#include "tessera/ops/signatures.h"

namespace tessera::bind {

namespace {

using Method = PyObject* (*)(PyObject*, PyObject* const*, Py_ssize_t, PyObject*);

/// Tries overrides by other classes first, then the engine, then NumPy.
template <Method body>
PyObject* dispatch(const char* method, PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* names) {
  return guarded([&] {
    if (is_users(self)) {
      try {
        return call_users(self, method, args, nargs, names, [&] { return body(self, args, nargs, names); });
      } catch (const Foreign& foreign) {
        throw TypeError(format("{}.{}: {}", op_of(self).name, method, foreign.reason));
      }
    }
    if (PyObject* answer = try_override(self, method, args, nargs, names)) return answer;
    try {
      return body(self, args, nargs, names);
    } catch (const Foreign& foreign) {
      return fall_back(op_of(self), method, args, nargs, names, foreign);
    }
  });
}

PyObject* vectorcall(PyObject* self, PyObject* const* args, size_t flagged, PyObject* names) {
  return guarded([&] { return call_ufunc(op_of(self), args, PyVectorcall_NARGS(flagged), names); });
}

PyObject* reduce(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* names) {
  return dispatch<ufunc_reduce>("reduce", self, args, nargs, names);
}
PyObject* accumulate(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* names) {
  return dispatch<ufunc_accumulate>("accumulate", self, args, nargs, names);
}
PyObject* reduceat(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* names) {
  return dispatch<ufunc_reduceat>("reduceat", self, args, nargs, names);
}
PyObject* outer(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* names) {
  return dispatch<ufunc_outer>("outer", self, args, nargs, names);
}
/// A user's ufunc has no NumPy behind it: NumPy's array is changed as a copy and stored back.
PyObject* at_numpys(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* names) {
  return guarded([&] {
    std::vector<PyObject*> given(args, args + nargs);
    const Object copy(wrap(needed_array(args[0])));
    given[0] = copy.get();
    owned(dispatch<ufunc_at>("at", self, given.data(), nargs, names));
    const Object changed = owned(to_numpy(copy.get()));
    if (PyArray_CopyInto(reinterpret_cast<PyArrayObject*>(args[0]), reinterpret_cast<PyArrayObject*>(changed.get())) <
        0)
      throw ErrorAlreadySet();
    Py_RETURN_NONE;
  });
}

PyObject* at(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* names) {
  const bool by_op = is_users(self) && !as_ufunc(self)->by_definition;
  if (by_op && nargs > 0 && PyArray_Check(args[0])) return at_numpys(self, args, nargs, names);
  return dispatch<ufunc_at>("at", self, args, nargs, names);
}
PyObject* resolve_dtypes(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* names) {
  return guarded([&] {
    try {
      return ufunc_resolve_dtypes(self, args, nargs, names);
    } catch (const Foreign& foreign) {
      return fall_back(op_of(self), "resolve_dtypes", args, nargs, names, foreign);
    }
  });
}

PyObject* to_text(std::string_view text) {
  return PyUnicode_FromStringAndSize(text.data(), static_cast<Py_ssize_t>(text.size()));
}

PyObject* repr(PyObject* self) { return PyUnicode_FromFormat("<ufunc '%s'>", std::string(op_of(self).name).c_str()); }
PyObject* get_name(PyObject* self, void*) { return to_text(op_of(self).name); }
PyObject* get_module(PyObject* self, void*) {
  if (is_users(self)) return PyObject_GetAttrString(as_ufunc(self)->definition, "__module__");
  return to_text(op_of(self).kind == ops::OpKind::special ? "tessera.scipy.special" : "tessera.numpy");
}
PyObject* get_doc(PyObject* self, void*) {
  if (is_users(self)) return PyObject_GetAttrString(as_ufunc(self)->definition, "__doc__");
  return to_text(documentation(op_of(self)));
}
PyObject* get_nin(PyObject* self, void*) { return PyLong_FromLong(op_of(self).nin); }
int64_t count_results(PyObject* self) {
  if (!as_ufunc(self)->by_definition) return op_of(self).nout;
  return PyLong_AsLongLong(owned(PyObject_GetAttrString(as_ufunc(self)->definition, "nout")).get());
}
PyObject* get_nout(PyObject* self, void*) {
  return guarded([&] { return PyLong_FromLongLong(count_results(self)); });
}
PyObject* get_nargs(PyObject* self, void*) {
  return guarded([&] { return PyLong_FromLongLong(op_of(self).nin + count_results(self)); });
}
PyObject* get_signature(PyObject*, void*) { Py_RETURN_NONE; }

/// The attribute of NumPy's own ufunc of this name, whose additional loops work through the fallback. Empty when there
/// is none.
Object ask_numpy(PyObject* self, const char* attribute) {
  if (op_of(self).kind != ops::OpKind::map) return {};
  Object ufunc(
      PyObject_GetAttrString(owned(PyImport_ImportModule("numpy")).get(), std::string(op_of(self).name).c_str()));
  if (!ufunc) return PyErr_Clear(), Object();
  return owned(PyObject_GetAttrString(ufunc.get(), attribute));
}

PyObject* get_ntypes(PyObject* self, void*) {
  return guarded([&] {
    if (Object count = ask_numpy(self, "ntypes")) return count.release();
    if (as_ufunc(self)->by_definition)
      return PyLong_FromSsize_t(
          PyObject_Size(owned(PyObject_GetAttrString(as_ufunc(self)->definition, "types")).get()));
    return PyLong_FromSize_t(op_of(self).signatures.size());
  });
}

/// For Python's inspect.
PyObject* get_dunder_signature(PyObject* self, void*) {
  return guarded([&] {
    if (Object signature = ask_numpy(self, "__signature__")) return signature.release();
    PyErr_SetString(PyExc_AttributeError, "__signature__");
    return static_cast<PyObject*>(nullptr);
  });
}

PyObject* get_types(PyObject* self, void*) {
  return guarded([&] {
    if (Object types = ask_numpy(self, "types")) return types.release();
    if (as_ufunc(self)->by_definition) return checked(PyObject_GetAttrString(as_ufunc(self)->definition, "types"));
    const auto& signatures = op_of(self).signatures;
    Object list = owned(PyList_New(static_cast<Py_ssize_t>(signatures.size())));
    for (size_t i = 0; i < signatures.size(); ++i) {
      PyList_SET_ITEM(list.get(), static_cast<Py_ssize_t>(i), checked(to_text(ops::print(signatures[i]))));
    }
    return list.release();
  });
}

PyObject* get_identity(PyObject* self, void*) {
  const ops::Op& op = op_of(self);
  if (!op.identity) Py_RETURN_NONE;
  if (!op.signatures.empty() && op.signatures[0].out[0] == DType::boolean &&
      op.signatures.back().out[0] == DType::boolean) {
    return PyBool_FromLong(*op.identity != 0);
  }
  double whole = *op.identity;
  return whole == static_cast<long>(whole) ? PyLong_FromLong(static_cast<long>(whole)) : PyFloat_FromDouble(whole);
}

PyObject* reduce_for_pickle(PyObject* self, PyObject*) {
  if (is_users(self)) return PyObject_CallMethod(as_ufunc(self)->definition, "__reduce__", nullptr);
  return get_name(self, nullptr);
}

/// The attributes of a user's ufunc include those of its definition.
PyObject* get_attribute(PyObject* self, PyObject* name) {
  PyObject* found = PyObject_GenericGetAttr(self, name);
  if (found || !is_users(self) || !PyErr_ExceptionMatches(PyExc_AttributeError)) return found;
  PyErr_Clear();
  return PyObject_GetAttr(as_ufunc(self)->definition, name);
}

int set_attribute(PyObject* self, PyObject* name, PyObject* value) {
  if (!is_users(self)) return PyObject_GenericSetAttr(self, name, value);
  return PyObject_SetAttr(as_ufunc(self)->definition, name, value);
}

int traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(as_ufunc(self)->definition);
  Py_VISIT(as_ufunc(self)->names_owner);
  Py_VISIT(Py_TYPE(self));
  return 0;
}

int clear(PyObject* self) {
  // The names are their owner's: without them it is not asked whether they have changed.
  as_ufunc(self)->names = nullptr;
  Py_CLEAR(as_ufunc(self)->names_owner);
  return 0;
}

void deallocate(PyObject* self) {
  PyObject_GC_UnTrack(self);
  if (as_ufunc(self)->weakrefs) PyObject_ClearWeakRefs(self);
  clear(self);
  set_op(as_ufunc(self), nullptr);
  Py_CLEAR(as_ufunc(self)->definition);
  PyTypeObject* type = Py_TYPE(self);
  type->tp_free(self);
  Py_DECREF(type);
}

template <class F>
PyCFunction as_method(F* function) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function));
}

constexpr int fast_keywords = METH_FASTCALL | METH_KEYWORDS;
PyMethodDef ufunc_methods[] = {
    {"reduce", as_method(reduce), fast_keywords, "Reduce an array's dimensions by applying the ufunc along axes."},
    {"accumulate", as_method(accumulate), fast_keywords,
     "Accumulate the result of applying the operator to all elements."},
    {"reduceat", as_method(reduceat), fast_keywords, "Reduce over slices of one axis, given by their starts."},
    {"outer", as_method(outer), fast_keywords, "Apply the ufunc to all pairs (a, b) with a in A and b in B."},
    {"at", as_method(at), fast_keywords, "Apply the ufunc in place at indices, one after the other where they repeat."},
    {"resolve_dtypes", as_method(resolve_dtypes), fast_keywords,
     "The dtypes that operands of these dtypes compute in."},
    {"__reduce__", reduce_for_pickle, METH_NOARGS, nullptr},
    {},
};

PyGetSetDef attributes[] = {
    {"__name__", get_name, nullptr, nullptr, nullptr},
    {"__qualname__", get_name, nullptr, nullptr, nullptr},
    {"__module__", get_module, nullptr, nullptr, nullptr},
    {"__doc__", get_doc, nullptr, nullptr, nullptr},
    {"nin", get_nin, nullptr, "The number of inputs.", nullptr},
    {"nout", get_nout, nullptr, "The number of outputs.", nullptr},
    {"nargs", get_nargs, nullptr, "The number of inputs and outputs.", nullptr},
    {"ntypes", get_ntypes, nullptr, "The number of loops.", nullptr},
    {"types", get_types, nullptr, "The loops, in the order in which they are tried.", nullptr},
    {"identity", get_identity, nullptr, "The identity value, or None.", nullptr},
    {"__signature__", get_dunder_signature, nullptr, nullptr, nullptr},
    {"signature", get_signature, nullptr, "None: the ufunc works element by element.", nullptr},
    {},
};

PyMemberDef members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(Ufunc, vectorcall), READONLY, nullptr},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(Ufunc, weakrefs), READONLY, nullptr},
    {},
};

PyType_Slot slots[] = {
    {Py_tp_repr, reinterpret_cast<void*>(repr)},
    {Py_tp_getattro, reinterpret_cast<void*>(get_attribute)},
    {Py_tp_setattro, reinterpret_cast<void*>(set_attribute)},
    {Py_tp_traverse, reinterpret_cast<void*>(traverse)},
    {Py_tp_clear, reinterpret_cast<void*>(clear)},
    {Py_tp_dealloc, reinterpret_cast<void*>(deallocate)},
    {Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
    {Py_tp_methods, ufunc_methods},
    {Py_tp_getset, attributes},
    {Py_tp_members, members},
    {0, nullptr},
};

PyType_Spec spec = {
    .name = "tessera.numpy.ufunc",
    .basicsize = sizeof(Ufunc),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_DISALLOW_INSTANTIATION |
             Py_TPFLAGS_IMMUTABLETYPE,
    .slots = slots,
};

}  // namespace

void bind_ufuncs(nanobind::module_& m) {
  try {
    static constinit Imported numpys("numpy", "ufunc");
    add_signatures(ufunc_methods, numpys);
    ufunc_type = reinterpret_cast<PyTypeObject*>(checked(PyType_FromSpec(&spec)));
    ufunc_vectorcall = vectorcall;
    checked(PyModule_AddObjectRef(m.ptr(), "ufunc", reinterpret_cast<PyObject*>(ufunc_type)));
    nanobind::module_ special = m.def_submodule("special", "The ufuncs of tessera.scipy.special.");
    for (const ops::Op& op : ops::OpTable::standard()) {
      if (op.kind == ops::OpKind::hidden) continue;
      PyObject* home = op.kind == ops::OpKind::special ? special.ptr() : m.ptr();
      checked(PyModule_AddObjectRef(home, std::string(op.name).c_str(), ufunc_of(op)));
    }
  } catch (const ErrorAlreadySet&) {
    throw nanobind::python_error();
  }
}

}  // namespace tessera::bind
