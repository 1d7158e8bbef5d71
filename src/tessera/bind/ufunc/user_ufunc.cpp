#include "tessera/bind/ufunc/user_ufunc.h"

#include <optional>
#include <string>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "tessera/base/error.h"
#include "tessera/bind/array/ndarray.h"
#include "tessera/bind/bindings.h"
#include "tessera/bind/convert/convert.h"
#include "tessera/bind/convert/dtypes.h"
#include "tessera/bind/convert/numpy_api.h"
#include "tessera/bind/kernel/kernel_function.h"
#include "tessera/bind/ufunc/ufunc_call.h"
#include "tessera/graph/form.h"
#include "tessera/ir/split_body.h"

namespace tessera::bind {

namespace nb = nanobind;

namespace {

/// An op as Python holds it.
struct OpHandle {
  Ref<const ops::UserOp> op;
};

OpHandle make_op(std::string name, std::string doc, int nin, std::vector<OpBody> bodies, std::optional<double> identity,
                 bool reorderable, bool grows) {
  require<TypeError>(nin >= 1 && nin <= graph::max_inputs, "{}: ufuncs take 1 to {} operands, not {}", name,
                     graph::max_inputs, nin);
  std::vector<ops::UserOp::Body> kernels;
  size_t results = 0;
  for (OpBody& body : bodies) {
    const size_t own = body.kernel->buffers.size() - static_cast<size_t>(nin);
    require<TypeError>(own <= ops::max_results, "{}: ufuncs have at most {} results, not {}", name, ops::max_results,
                       own);
    require<TypeError>(kernels.empty() || own == results, "{}: one loop has {} results, another {}", name, results,
                       own);
    results = own;
    kernels.push_back(std::move(body.kernel));
  }
  Ref<ops::UserOp> made =
      ops::UserOp::make(std::move(name), std::move(doc), nin, std::move(kernels), identity, reorderable, grows);
  return {Ref<const ops::UserOp>(made.get())};
}

void adopt(Ufunc* ufunc, PyObject* made) {
  Object handle(made);
  if (!handle) throw ErrorAlreadySet();
  ufunc->by_definition = handle.get() == Py_None;
  if (!ufunc->by_definition) set_op(ufunc, nb::cast<OpHandle&>(nb::handle(handle.get())).op);
  ufunc->compiled_at = ufunc->names->refresh();
}

PyObject* vectorcall_users(PyObject* self, PyObject* const* args, size_t flagged, PyObject* names) {
  return guarded([&] {
    const Py_ssize_t nargs = PyVectorcall_NARGS(flagged);
    return call_users(self, "__call__", args, nargs, names,
                      [&] { return call_ufunc(op_of(self), args, nargs, names); });
  });
}

enum class Kind : uint8_t { other, numpys, tesseras };

Kind kind_of(PyObject* object) {
  if (is_ndarray(object)) return Kind::tesseras;
  if (PyArray_Check(object)) return Kind::numpys;
  Kind kind = Kind::other;
  for (Py_ssize_t k = 0; PyTuple_CheckExact(object) && k < PyTuple_GET_SIZE(object); ++k)
    kind = std::max(kind, kind_of(PyTuple_GET_ITEM(object, k)));
  return kind;
}

nb::object make_ufunc(nb::object definition, const OpHandle& op, nb::object names, bool by_definition) {
  auto* ufunc = reinterpret_cast<Ufunc*>(ufunc_type->tp_alloc(ufunc_type, 0));
  if (!ufunc) throw nb::python_error();
  nb::object made = nb::steal(reinterpret_cast<PyObject*>(ufunc));
  ufunc->vectorcall = vectorcall_users;
  ufunc->definition = definition.release().ptr();
  ufunc->by_definition = by_definition;
  ufunc->names = nb::cast<CapturedNames*>(names);
  ufunc->names_owner = names.release().ptr();
  set_op(ufunc, op.op);
  ufunc->compiled_at = ufunc->names->refresh();
  return made;
}

/// Adds the loops that a definition has gained.
void replace_op(nb::handle object, nb::handle op) {
  require<TypeError>(Py_TYPE(object.ptr()) == ufunc_type && is_users(object.ptr()), "no ufunc of a user's function");
  Ufunc* ufunc = as_ufunc(object.ptr());
  adopt(ufunc, op.inc_ref().ptr());
}

}  // namespace

void refresh(Ufunc* ufunc) {
  if (!ufunc->names || ufunc->names->refresh() == ufunc->compiled_at) return;
  adopt(ufunc, PyObject_CallMethod(ufunc->definition, "_forget", nullptr));
}

PyObject* run_definition(PyObject* self, const char* method, PyObject* const* args, Py_ssize_t nargs, PyObject* names) {
  const Object run = owned(PyObject_GetAttrString(as_ufunc(self)->definition, "_run"));
  const Object name = owned(PyUnicode_FromString(method));
  std::vector<PyObject*> given{name.get()};
  given.insert(given.end(), args, args + nargs + (names ? PyTuple_GET_SIZE(names) : 0));
  return checked(PyObject_Vectorcall(run.get(), given.data(), static_cast<size_t>(nargs + 1), names));
}

void add_loop(Ufunc* ufunc, const ops::NoLoop& missing) {
  Object types = owned(PyTuple_New(static_cast<Py_ssize_t>(missing.in.size())));
  for (size_t k = 0; k < missing.in.size(); ++k)
    PyTuple_SET_ITEM(types.get(), static_cast<Py_ssize_t>(k), checked(from_dtype(missing.in[k])));
  adopt(ufunc, PyObject_CallMethod(ufunc->definition, "_add", "(O)", types.get()));
}

PyObject* as_arguments(Object result, PyObject* const* args, Py_ssize_t nargs, PyObject* names) {
  if (!result) throw ErrorAlreadySet();
  if (!is_ndarray(result.get()) && !PyTuple_CheckExact(result.get())) return result.release();
  const Py_ssize_t count = nargs + (names ? PyTuple_GET_SIZE(names) : 0);
  Kind kind = Kind::other;
  for (Py_ssize_t k = 0; k < count; ++k) kind = std::max(kind, kind_of(args[k]));
  if (kind != Kind::numpys) return result.release();
  if (is_ndarray(result.get())) return checked(to_numpy(result.get()));
  Object tuple = owned(PyTuple_New(PyTuple_GET_SIZE(result.get())));
  for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(result.get()); ++k) {
    PyObject* one = PyTuple_GET_ITEM(result.get(), k);
    PyTuple_SET_ITEM(tuple.get(), k, is_ndarray(one) ? checked(to_numpy(one)) : Py_NewRef(one));
  }
  return tuple.release();
}

void bind_user_ufuncs(nb::module_& kernels) {
  nb::class_<OpBody>(kernels, "OpBody").def_prop_ro("text", [](const OpBody& body) { return ir::print(*body.kernel); });
  nb::class_<OpHandle>(kernels, "Op");
  kernels.def("split_body", [](const OpBody& body, size_t nin) {
    std::vector<std::pair<std::vector<size_t>, OpBody>> steps;
    require<TypeError>(body.kernel->buffers.size() == nin + 1, "{}: it has {} results", body.kernel->name,
                       body.kernel->buffers.size() - nin);
    for (ir::BodyStep& step : ir::split_body(*body.kernel, graph::max_inputs))
      steps.emplace_back(std::move(step.operands), OpBody{std::move(step.body)});
    return steps;
  });
  kernels.def("make_op", make_op, nb::arg("name"), nb::arg("doc"), nb::arg("nin"), nb::arg("bodies"),
              nb::arg("identity").none(), nb::arg("reorderable"), nb::arg("grows"));
  kernels.def("make_ufunc", make_ufunc);
  kernels.def("replace_op", replace_op, nb::arg("ufunc"), nb::arg("op").none());
}

}  // namespace tessera::bind
