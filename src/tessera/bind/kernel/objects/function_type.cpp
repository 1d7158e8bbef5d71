// The Python object of a user's function that the host calls: it finds the version for the arguments' types and calls
// it.
#include <Python.h>
#include <structmember.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/stl/shared_ptr.h>

#include "tessera/base/error.h"
#include "tessera/bind/array/object.h"
#include "tessera/bind/bindings.h"
#include "tessera/bind/kernel/calls/captured_names.h"
#include "tessera/bind/kernel/calls/compiled_function.h"
#include "tessera/bind/kernel/calls/repeated_call.h"
#include "tessera/bind/kernel/memory/container_image.h"
#include "tessera/bind/kernel/memory/field_containers.h"
#include "tessera/bind/kernel/objects/generator_object.h"
#include "tessera/bind/kernel/objects/object_type.h"

namespace tessera::bind {

namespace nb = nanobind;

namespace {

/// A version of a function.
struct Version {
  std::vector<uint32_t> types;
  bool may_overlap;
  std::shared_ptr<CompiledFunction> compiled;
};

struct FunctionObject {
  PyObject_HEAD vectorcallfunc vectorcall;
  PyObject* dispatcher;  // the Python side, whose attributes are this object's
  PyObject* weakrefs;
  Py_ssize_t positional;  // the parameters where all may be given by place, else -1
  std::vector<Version>* versions;
  std::vector<Version>* retired;  // of which a call may run that compiled anew
  int running;                    // calls
  PyObject* owner;                // of the names
  CapturedNames* names;
  uint64_t compiled_at;                                  // of the names
  uint64_t literals;                                     // a bit for each argument for whose values it is compiled
  std::vector<std::unique_ptr<RepeatedCall>>* repeated;  // for calls like the last few
};

FunctionObject* as_function(PyObject* object) { return reinterpret_cast<FunctionObject*>(object); }

Object tuple_of(PyObject* const* args, Py_ssize_t count) {
  Object tuple = owned(PyTuple_New(count));
  for (Py_ssize_t k = 0; k < count; ++k) PyTuple_SET_ITEM(tuple.get(), k, Py_NewRef(args[k]));
  return tuple;
}

void forget_versions(FunctionObject* self) {
  if (self->running > 0) std::ranges::move(*self->versions, std::back_inserter(*self->retired));
  self->versions->clear();
  self->repeated->clear();
}

/// Versions stay while calls run, also if the function is compiled anew meanwhile.
class Running {
 public:
  explicit Running(FunctionObject* self) : self_(self) { ++self->running; }
  ~Running() {
    if (--self_->running == 0 && !self_->retired->empty()) self_->retired->clear();
  }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

 private:
  FunctionObject* self_;
};

/// The calls after this one that are like it take the short way.
void keep_way_of(FunctionObject* self, const CompiledFunction* version, const CallArguments& given,
                 PyObject* const* args) {
  constexpr size_t most = 4;
  const auto known = std::ranges::find(*self->versions, version, [](const Version& v) { return v.compiled.get(); });
  if (known == self->versions->end() || self->literals != 0) return;
  std::unique_ptr<RepeatedCall> made = RepeatedCall::after(known->compiled, given, args);
  if (!made) return;
  if (self->repeated->size() == most) self->repeated->pop_back();
  self->repeated->insert(self->repeated->begin(), std::move(made));
}

const CompiledFunction* version_for(FunctionObject* self, const CallArguments& given, PyObject* const* args,
                                    Py_ssize_t count, bool may_overlap) {
  for (const Version& version : *self->versions)
    if (version.may_overlap == may_overlap && version.types == given.types) return version.compiled.get();
  Object tuple = tuple_of(args, count);
  const uint64_t before = self->names->refresh();
  Object made =
      owned(PyObject_CallMethod(self->dispatcher, "_compile_for", "(Oi)", tuple.get(), static_cast<int>(may_overlap)));
  if (made.get() == Py_None) return nullptr;  // the value of an argument is wanted
  const auto compiled = nb::cast<std::shared_ptr<CompiledFunction>>(nb::handle(made.get()));
  self->versions->push_back({given.types, may_overlap, compiled});
  self->compiled_at = before;  // what has changed while it was compiled shows at the next call
  return compiled.get();
}

/// Arguments whose memory a thread uses again; calls within calls have their own.
class ArgumentsOfThread {
 public:
  ArgumentsOfThread() {
    if (free().empty()) free().push_back(std::make_unique<CallArguments>());
    given_ = std::move(free().back());
    free().pop_back();
  }
  ~ArgumentsOfThread() {
    given_->clear();
    free().push_back(std::move(given_));
  }
  ArgumentsOfThread(const ArgumentsOfThread&) = delete;
  ArgumentsOfThread& operator=(const ArgumentsOfThread&) = delete;
  CallArguments& operator*() const { return *given_; }

 private:
  static std::vector<std::unique_ptr<CallArguments>>& free() {
    static thread_local std::vector<std::unique_ptr<CallArguments>> kept;
    return kept;
  }
  std::unique_ptr<CallArguments> given_;
};

PyObject* call_with(FunctionObject* self, PyObject* const* args, Py_ssize_t count) {
  if (!self->versions->empty() && self->names->refresh() != self->compiled_at)
    owned(PyObject_CallMethod(self->dispatcher, "_forget", nullptr));
  for (const auto& known : *self->repeated)
    if (PyObject* result = known->call(args, count)) return result;
  const ArgumentsOfThread lent;
  CallArguments& given = *lent;
  bool plain = true;
  const uint64_t literals = self->literals;
  for (Py_ssize_t k = 0; k < count && plain; ++k)
    plain = k < 64 && (literals >> k & 1) ? given.add_literal(args[k]) : given.add(args[k]);
  if (!plain) {
    Object tuple = tuple_of(args, count);
    Object converted = owned(PyObject_CallMethod(self->dispatcher, "_call_converted", "(O)", tuple.get()));
    return converted.release();
  }
  const Running running(self);
  const CompiledFunction* version = version_for(self, given, args, count, false);
  if (!version) return call_with(self, args, count);
  version->settle(given);
  if (version->overlap_matters(given)) {
    version = version_for(self, given, args, count, true);
    if (!version) return call_with(self, args, count);
    version->settle(given);
  }
  if (version->compiled().generator) {
    const auto known = std::ranges::find(*self->versions, version, [](const Version& v) { return v.compiled.get(); });
    return make_generator(known->compiled, std::move(given), tuple_of(args, count), literals);
  }
  const bool may_repeat = version->is_plain() && given.types.size() == static_cast<size_t>(count);
  Object result(version->call(given, args, count, literals));
  if (may_repeat) keep_way_of(self, version, given, args);
  return result.release();
}

PyObject* vectorcall(PyObject* object, PyObject* const* args, size_t flagged, PyObject* names) {
  return guarded([&] {
    FunctionObject* self = as_function(object);
    if (!self->dispatcher || !self->owner)
      return PyErr_SetString(PyExc_ReferenceError, "the function is gone"), static_cast<PyObject*>(nullptr);
    const Py_ssize_t count = PyVectorcall_NARGS(flagged);
    if ((!names || PyTuple_GET_SIZE(names) == 0) && count == self->positional) return call_with(self, args, count);
    Object arrange = owned(PyObject_GetAttrString(self->dispatcher, "_arrange"));
    Object tuple = owned(PyObject_Vectorcall(arrange.get(), args, static_cast<size_t>(count), names));
    return call_with(self, &PyTuple_GET_ITEM(tuple.get(), 0), PyTuple_GET_SIZE(tuple.get()));
  });
}

PyObject* get_attribute(PyObject* self, PyObject* name) {
  if (!as_function(self)->dispatcher) return PyErr_SetString(PyExc_ReferenceError, "the function is gone"), nullptr;
  return PyObject_GetAttr(as_function(self)->dispatcher, name);
}
int set_attribute(PyObject* self, PyObject* name, PyObject* value) {
  return PyObject_SetAttr(as_function(self)->dispatcher, name, value);
}
PyObject* repr(PyObject* self) { return PyObject_Repr(as_function(self)->dispatcher); }
PyObject* bind_method(PyObject* self, PyObject* instance, PyObject*) {
  return instance ? PyMethod_New(self, instance) : Py_NewRef(self);
}

int traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(as_function(self)->dispatcher);
  Py_VISIT(as_function(self)->owner);
  Py_VISIT(Py_TYPE(self));
  return 0;
}

int clear(PyObject* self) {
  Py_CLEAR(as_function(self)->dispatcher);
  Py_CLEAR(as_function(self)->owner);
  return 0;
}

void deallocate(PyObject* self) {
  PyObject_GC_UnTrack(self);
  if (as_function(self)->weakrefs) PyObject_ClearWeakRefs(self);
  clear(self);
  delete as_function(self)->versions;
  delete as_function(self)->retired;
  delete as_function(self)->repeated;
  PyTypeObject* type = Py_TYPE(self);
  type->tp_free(self);
  Py_DECREF(type);
}

PyMemberDef members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(FunctionObject, vectorcall), READONLY, nullptr},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(FunctionObject, weakrefs), READONLY, nullptr},
    {},
};

PyType_Slot slots[] = {
    {Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
    {Py_tp_getattro, reinterpret_cast<void*>(get_attribute)},
    {Py_tp_setattro, reinterpret_cast<void*>(set_attribute)},
    {Py_tp_repr, reinterpret_cast<void*>(repr)},
    {Py_tp_descr_get, reinterpret_cast<void*>(bind_method)},
    {Py_tp_traverse, reinterpret_cast<void*>(traverse)},
    {Py_tp_clear, reinterpret_cast<void*>(clear)},
    {Py_tp_dealloc, reinterpret_cast<void*>(deallocate)},
    {Py_tp_members, members},
    {0, nullptr},
};

PyType_Spec spec = {
    .name = "tessera.function",
    .basicsize = sizeof(FunctionObject),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_METHOD_DESCRIPTOR | Py_TPFLAGS_HAVE_GC |
             Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = slots,
};

PyTypeObject* function_type = nullptr;

nb::object make_function(nb::object dispatcher, Py_ssize_t positional, nb::object names) {
  FunctionObject* self = PyObject_GC_New(FunctionObject, function_type);
  if (!self) throw nb::python_error();
  self->vectorcall = vectorcall;
  self->dispatcher = dispatcher.release().ptr();
  self->weakrefs = nullptr;
  self->positional = positional;
  self->versions = new std::vector<Version>;
  self->retired = new std::vector<Version>;
  self->running = 0;
  self->names = nb::cast<CapturedNames*>(names);
  self->owner = names.release().ptr();
  self->compiled_at = 0;
  self->literals = 0;
  self->repeated = new std::vector<std::unique_ptr<RepeatedCall>>;
  PyObject_GC_Track(self);
  return nb::steal(reinterpret_cast<PyObject*>(self));
}

void set_literal(nb::handle function, unsigned place) {
  require<TypeError>(Py_TYPE(function.ptr()) == function_type && place < 64,
                     "literally takes one of the first 64 arguments");
  as_function(function.ptr())->literals |= uint64_t{1} << place;
}

void forget(nb::handle function) {
  require<TypeError>(Py_TYPE(function.ptr()) == function_type, "forget_versions takes a function of tessera.jit");
  forget_versions(as_function(function.ptr()));
}

}  // namespace

void bind_function_type(nb::module_& kernels) {
  function_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  if (!function_type) throw nb::python_error();
  kernels.attr("function") = nb::handle(reinterpret_cast<PyObject*>(function_type));
  bind_container_image(kernels);
  bind_field_containers(kernels);
  bind_generator_type(kernels);
  bind_object_types(kernels);
  kernels.def("make_function", make_function);
  kernels.def("forget_versions", forget);
  kernels.def("set_literal", set_literal);
}

}  // namespace tessera::bind
