#include "tessera/bind/kernel/objects/generator_object.h"

#include <structmember.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "tessera/base/error.h"
#include "tessera/bind/array/ndarray.h"
#include "tessera/bind/bindings.h"
#include "tessera/bind/kernel/calls/collector.h"
#include "tessera/bind/kernel/host/host_calls.h"
#include "tessera/bind/kernel/memory/object_memory.h"
#include "tessera/ir/arguments.h"

namespace tessera::bind {

namespace nb = nanobind;

namespace {

constexpr size_t state_word = 0, value_word = 1;

/// What a generator is between two values.
class GeneratorRun {
 public:
  GeneratorRun(std::shared_ptr<const CompiledFunction> function, CallArguments given, Object arguments,
               uint64_t literals)
      : function_(std::move(function)), given_(std::move(given)), arguments_(std::move(arguments)) {
    const kernel::Compiled& compiled = function_->compiled();
    const ObjectsInUse building;
    if (compiled.containers.are_in_fields)
      given_.move_to_fields(&PyTuple_GET_ITEM(arguments_.get(), 0), PyTuple_GET_SIZE(arguments_.get()), literals);
    frame_.resize(static_cast<size_t>(compiled.generator->words));
    const auto address = reinterpret_cast<uintptr_t>(frame_.data()) / sizeof(int64_t);
    given_.scalars.push_back(Scalar::of_int(DType::int64, static_cast<int64_t>(address)));
    views_ = function_->complete(given_);
    made_ = std::make_unique<HostCalls>(HostCalls{
        .memory = given_.memory, .views = views_, .objects = compiled.host_objects, .given = &given_, .frame = frame_});
    roots_ = std::make_unique<CallRoots>(*made_);
    if (compiled.containers.are_in_fields) made_->shared = &memory_of_fields();
    if (function_->has_objects() || given_.has_objects || made_->shared)
      objects_ = std::make_unique<ObjectsOfGenerator>(*roots_);
    are_settled_ = std::ranges::none_of(given_.arrays, &CallArguments::Given::is_tessera);
    is_plain_ = function_->asks_nothing() && are_settled_ && !objects_ && given_.lists.empty();
    yields_float_ = compiled.generator->yielded == kernel::Type::scalar(DType::float64);
    yields_number_ = yields_float_ || compiled.generator->yielded == kernel::Type::scalar(DType::int64);
  }
  GeneratorRun(const GeneratorRun&) = delete;
  GeneratorRun& operator=(const GeneratorRun&) = delete;

  /// A new reference to the next value of one that asks nothing of the host, yields a number, and whose machine code is
  /// there; null where it is another, or what happened has to be told by next().
  PyObject* next_number() {
    if (!quick_frame_ || quick_frame_[state_word] < 0) return nullptr;
    entry_->load(std::memory_order_acquire)(&ready_, nullptr, nullptr);
    is_ahead_ = quick_frame_[state_word] < 0 || *raised_ != 0;
    if (is_ahead_) return nullptr;
    const int64_t word = quick_frame_[value_word];
    PyObject* const value = yields_float_ ? PyFloat_FromDouble(std::bit_cast<double>(word)) : PyLong_FromLong(word);
    is_ahead_ = !value;
    return value;
  }

  /// A new reference to the next value; null at the end, without an exception.
  PyObject* next() {
    if (entry_ && !is_running_) return next_at_once();
    if (frame_[state_word] < 0) return nullptr;
    require<ValueError>(!is_running_, "generator already executing");
    const Running running(*this);
    std::optional<ObjectsInUse> in_use;
    if (objects_) in_use.emplace(roots_.get());
    go_on();
    if (frame_[state_word] < 0) return release(), nullptr;
    PyObject* const value = function_->read_yielded(frame_.data() + value_word, given_, *made_);
    if (is_collection_due(*made_)) collect(*made_, StackRoots(nullptr));
    return value;
  }

  /// Runs what stands in `finally` around the place where it waits.
  void close() {
    if (is_running_) return;
    struct End {
      GeneratorRun& run;
      ~End() {
        run.frame_[state_word] = -1;
        run.release();
      }
    } const end{*this};
    if (waits_in_try()) leave_try();
  }
  bool waits_in_try() const {
    return function_->compiled().generator->closes && !is_running_ && !is_ahead_ && frame_[state_word] > 0;
  }

  int traverse(visitproc visit, void* arg) const {
    Py_VISIT(arguments_.get());
    return 0;
  }

 private:
  void leave_try() {
    const Running running(*this);
    frame_[state_word] = -1 - frame_[state_word];
    std::optional<ObjectsInUse> in_use;
    if (objects_) in_use.emplace(roots_.get());
    go_on();
    if (frame_[state_word] > 0) throw RuntimeError("generator ignored GeneratorExit");
  }
  struct Running {
    explicit Running(GeneratorRun& of) : run(of) { run.is_running_ = true; }
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;
    ~Running() { run.is_running_ = false; }
    GeneratorRun& run;
  };
  /// Of one that asks nothing of the host, and whose machine code is there.
  PyObject* next_at_once() {
    if (frame_[state_word] < 0 && !is_ahead_) return nullptr;
    if (!std::exchange(is_ahead_, false)) {
      is_running_ = true;
      entry_->load(std::memory_order_acquire)(&ready_, nullptr, nullptr);
      is_running_ = false;
    }
    if (frame_[state_word] < 0) {
      if (function_->has_raised(given_)) function_->throw_raised(given_, *made_);
      return release(), nullptr;
    }
    if (function_->has_raised(given_)) fail();
    return function_->read_yielded(frame_.data() + value_word, given_, *made_);
  }
  void go_on() {
    if (!are_settled_) function_->settle(given_);
    try {
      function_->run(given_, views_, *made_, code_);
    } catch (...) {
      fail_silently();
      throw;
    }
    if (is_plain_ && code_.entry().load(std::memory_order_relaxed)) prepare();
  }

  /// From now on the machine code is called at once, with what it got.
  void prepare() {
    for (const View& view : views_)
      for (int axis = 0; axis < view.ndim(); ++axis) words_.push_back(view.strides[axis]);
    const size_t axes = words_.size();
    for (const View& view : views_)
      for (int axis = 0; axis < view.ndim(); ++axis) words_.push_back(view.shape[axis]);
    const size_t scalars = words_.size();
    words_.resize(scalars + 2 * given_.scalars.size());
    for (size_t k = 0; k < given_.scalars.size(); ++k)
      std::memcpy(&words_[scalars + 2 * k], given_.scalars[k].bytes, 2 * sizeof(int64_t));
    ready_ = {.buffers = given_.memory.data(),
              .strides = words_.data(),
              .dimensions = words_.data() + axes,
              .scalars = reinterpret_cast<const char*>(words_.data() + scalars),
              .extents = nullptr,
              .flags = nullptr};
    entry_ = &code_.entry();
    raised_ = function_->raised_word(given_);
    if (yields_number_) quick_frame_ = frame_.data();
  }

  void fail() {
    fail_silently();
    function_->throw_raised(given_, *made_);
  }
  void fail_silently() {
    frame_[state_word] = -1;
    leave_containers();
  }
  void leave_containers() {
    for (ListMemory& list : given_.lists) list.use.reset();
  }

  void release() {
    leave_containers();
    objects_.reset();
    made_->own.arrays.clear();
    made_->own.kept.clear();
    made_->own.texts.clear();
    made_->own.words.clear();
  }

  std::shared_ptr<const CompiledFunction> function_;
  CallArguments given_;
  Object arguments_;
  std::vector<int64_t> frame_, words_;
  std::span<const View> views_;
  std::unique_ptr<HostCalls> made_;
  std::unique_ptr<CallRoots> roots_;
  std::unique_ptr<ObjectsOfGenerator> objects_;  // its variables may be objects
  FunctionCode code_;
  ir::KernelArguments ready_{};
  const std::atomic<ir::KernelEntry>* entry_ = nullptr;
  bool is_running_ = false, is_plain_ = false, are_settled_ = false;
  bool yields_float_ = false, yields_number_ = false;
  int64_t* quick_frame_ = nullptr;   // of one whose next value is a number that is there at once
  const int64_t* raised_ = nullptr;  // not 0 where it has raised something
  bool is_ahead_ = false;            // its code has run for the value that next() is to give
};

struct GeneratorObject {
  PyObject_HEAD GeneratorRun* run;
  PyObject* weakrefs;
};

GeneratorRun& run_of(PyObject* object) { return *reinterpret_cast<GeneratorObject*>(object)->run; }

PyObject* iterate(PyObject* self) { return Py_NewRef(self); }
PyObject* next(PyObject* self) {
  if (PyObject* const number = run_of(self).next_number()) return number;
  return guarded([&] { return run_of(self).next(); });
}
PyObject* close(PyObject* self, PyObject*) {
  return guarded([&] { return run_of(self).close(), Py_NewRef(Py_None); });
}
PyObject* send(PyObject* self, PyObject* value) {
  if (Py_IsNone(value)) {
    PyObject* const next_value = next(self);
    if (!next_value && !PyErr_Occurred()) PyErr_SetNone(PyExc_StopIteration);
    return next_value;
  }
  PyErr_SetString(
      PyExc_TypeError,
      "a compiled generator takes no values by send(): give it an array that you write to between two values");
  return nullptr;
}
/// What it does at its end may raise, which nobody can be told but by a warning.
void close_silently(PyObject* self) {
  PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
  PyErr_Fetch(&type, &value, &traceback);
  PyObject* const done = close(self, nullptr);
  if (!done) PyErr_WriteUnraisable(nullptr);
  Py_XDECREF(done);
  PyErr_Restore(type, value, traceback);
}
int traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  GeneratorRun* const run = reinterpret_cast<GeneratorObject*>(self)->run;
  return run ? run->traverse(visit, arg) : 0;
}
void deallocate(PyObject* self) {
  PyObject_GC_UnTrack(self);
  auto* const object = reinterpret_cast<GeneratorObject*>(self);
  if (object->weakrefs) PyObject_ClearWeakRefs(self);
  if (object->run && object->run->waits_in_try() && Py_IsInitialized()) close_silently(self);
  delete std::exchange(object->run, nullptr);
  PyTypeObject* type = Py_TYPE(self);
  type->tp_free(self);
  Py_DECREF(type);
}

PyMethodDef methods[] = {
    {"close", close, METH_NOARGS, "Ends it: there are no further values."},
    {"send", send, METH_O, "The next value; None is all that it takes."},
    {},
};
PyMemberDef members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(GeneratorObject, weakrefs), READONLY, nullptr},
    {},
};
PyType_Slot slots[] = {
    {Py_tp_iter, reinterpret_cast<void*>(iterate)},
    {Py_tp_iternext, reinterpret_cast<void*>(next)},
    {Py_tp_methods, methods},
    {Py_tp_members, members},
    {Py_tp_traverse, reinterpret_cast<void*>(traverse)},
    {Py_tp_dealloc, reinterpret_cast<void*>(deallocate)},
    {0, nullptr},
};
PyType_Spec spec = {
    .name = "tessera.generator",
    .basicsize = sizeof(GeneratorObject),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = slots,
};
PyTypeObject* generator_type = nullptr;

}  // namespace

PyObject* make_generator(std::shared_ptr<const CompiledFunction> function, CallArguments given, Object arguments,
                         uint64_t literals) {
  auto run = std::make_unique<GeneratorRun>(std::move(function), std::move(given), std::move(arguments), literals);
  GeneratorObject* self = PyObject_GC_New(GeneratorObject, generator_type);
  if (!self) throw ErrorAlreadySet();
  self->run = run.release();
  self->weakrefs = nullptr;
  PyObject_GC_Track(self);
  return reinterpret_cast<PyObject*>(self);
}

void bind_generator_type(nb::module_& kernels) {
  generator_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  if (!generator_type) throw nb::python_error();
  kernels.attr("generator") = nb::handle(reinterpret_cast<PyObject*>(generator_type));
  kernels.def(
      "collect_always", [](bool on) { collects_always() = on; }, nb::arg("on"),
      "For tests: memory of calls is collected whenever the host is asked, and what is freed is overwritten.");
}

}  // namespace tessera::bind
