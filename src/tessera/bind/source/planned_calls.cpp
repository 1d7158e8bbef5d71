#include "tessera/bind/source/planned_calls.h"

#include "tessera/base/error.h"
#include "tessera/base/hash.h"
#include "tessera/bind/array/dims.h"
#include "tessera/bind/array/ndarray.h"
#include "tessera/bind/convert/dtypes.h"
#include "tessera/bind/convert/numpy_api.h"
#include "tessera/bind/engine/errors.h"
#include "tessera/bind/scalar/lazy_scalar.h"
#include "tessera/bind/source/source_arguments.h"
#include "tessera/engine/engine.h"

namespace tessera::bind {

namespace nb = nanobind;

namespace {

constexpr size_t most_plans = 256;

void add_dims(std::vector<uint64_t>& key, const Dims& dims) {
  for (const int64_t extent : dims) key.push_back(static_cast<uint64_t>(extent));
}

/// Numbers of Python's and NumPy's, which their type tells all of.
bool is_any_number(PyObject* object) {
  return PyLong_Check(object) || PyFloat_Check(object) || PyComplex_Check(object) || is_lazy(object) ||
         dtype_of_scalar_type(Py_TYPE(object)).has_value();
}

uint64_t word_of(const void* address) { return reinterpret_cast<uintptr_t>(address); }

}  // namespace

size_t PlannedCalls::KeyHash::operator()(const Key& key) const {
  SumHash hash;
  for (const uint64_t word : key) hash.add(word);
  return hash.value();
}

bool PlannedCalls::find_key(nb::handle arguments, nb::handle variant, int64_t block) {
  const runtime::Device* device = Engine::instance().devices().for_streams();  // may let other threads run
  key_.clear();
  key_.push_back(word_of(device));
  key_.push_back(static_cast<uint64_t>(block));
  int64_t number = -1;
  if (!variant.is_none() && (!PyLong_CheckExact(variant.ptr()) || !read_int(variant.ptr(), number))) return false;
  key_.push_back(static_cast<uint64_t>(number));
  for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(arguments.ptr()); ++k) {
    PyObject* argument = PyTuple_GET_ITEM(arguments.ptr(), k);
    if (is_ndarray(argument)) {
      const View& view = as_ndarray(argument)->array.view;
      key_.push_back(static_cast<uint64_t>(view.dtype) << 8 | static_cast<uint64_t>(view.ndim()));
      add_dims(key_, view.shape);
      add_dims(key_, view.strides);
    } else if (is_any_number(argument)) {
      key_.push_back(word_of(Py_TYPE(argument)));
    } else {
      return false;
    }
  }
  return true;
}

void PlannedCalls::add(nb::tuple arguments, nb::handle variant, int64_t block, nb::object kernel, int64_t blocks,
                       nb::list outputs, std::vector<bool> in_memory, nb::tuple behind) {
  if (!find_key(arguments, variant, block)) return;
  if (plans_.size() >= most_plans) plans_.clear();
  Plan plan{.kernel = kernel,
            .launched = &nb::cast<SourceKernel&>(kernel),
            .blocks = blocks,
            .outputs = {},
            .in_memory = std::move(in_memory),
            .behind = behind};
  for (nb::handle output : outputs)
    plan.outputs.push_back({to_dims(nb::object(output[0]).ptr()), to_dtype(nb::object(output[1]).ptr()).value()});
  require<ValueError>(plan.in_memory.size() == arguments.size() + plan.outputs.size(),
                      "a planned call says of each array how it is passed");
  plans_.insert_or_assign(key_, std::make_shared<const Plan>(std::move(plan)));
}

nb::object PlannedCalls::call(nb::tuple arguments, nb::handle variant, int64_t block, nb::handle stream) {
  const auto known = find_key(arguments, variant, block) ? plans_.find(key_) : plans_.end();
  if (known == plans_.end()) return nb::borrow(Py_NotImplemented);
  const std::shared_ptr<const Plan> held = known->second;  // other threads may plan meanwhile
  const Plan& plan = *held;
  std::vector<nb::object> made;
  for (const Output& output : plan.outputs)
    made.push_back(nb::steal(wrap(Engine::instance().empty(output.shape, output.dtype))));
  if (plan.blocks == 0) return results(arguments, made);
  const SourceKernel& kernel = *plan.launched;
  const size_t given = arguments.size(), behind = plan.behind.size();
  kernel.parameters().check_count(given + made.size() + behind);
  SourceArguments values(kernel.parameters(), given + made.size() + behind);
  const auto add = [&](size_t k, PyObject* argument) {
    if (k < plan.in_memory.size() && plan.in_memory[k] && is_ndarray(argument))
      values.add_memory(k, *as_ndarray(argument));
    else if (!values.add(k, argument))
      kernel.parameters().refuse(k, Py_TYPE(argument)->tp_name);
  };
  for (size_t k = 0; k < given; ++k) add(k, PyTuple_GET_ITEM(arguments.ptr(), static_cast<Py_ssize_t>(k)));
  for (size_t k = 0; k < made.size(); ++k) add(given + k, made[k].ptr());
  for (size_t k = 0; k < behind; ++k)
    add(given + made.size() + k, PyTuple_GET_ITEM(plan.behind.ptr(), static_cast<Py_ssize_t>(k)));
  LaunchShape shape{.grid = {plan.blocks, 1, 1}, .block = {block, 1, 1}};
  kernel.take_stream(shape, stream);
  kernel.launch(shape, values, false);
  return results(arguments, made);
}

nb::object PlannedCalls::results(nb::handle arguments, const std::vector<nb::object>& made) const {
  if (returns_nothing_) return nb::none();
  std::vector<nb::object> all;
  for (Py_ssize_t k = given_outputs_; k < PyTuple_GET_SIZE(arguments.ptr()); ++k)
    all.push_back(nb::borrow(PyTuple_GET_ITEM(arguments.ptr(), k)));
  all.insert(all.end(), made.begin(), made.end());
  if (all.size() == 1 && !returns_tuple_) return all[0];
  nb::object tuple = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(all.size())));
  for (size_t k = 0; k < all.size(); ++k)
    PyTuple_SET_ITEM(tuple.ptr(), static_cast<Py_ssize_t>(k), all[k].release().ptr());
  return tuple;
}

void PlannedKernel::set_plans(nb::object plans) {
  calls_ = plans.is_none() ? nullptr : &nb::cast<PlannedCalls&>(plans);
  plans_ = std::move(plans);
}

PyObject* PlannedKernel::call(PyObject* self, PyObject* arguments, PyObject* names) {
  return guarded([&]() -> PyObject* {
    PlannedKernel& kernel = *nb::inst_ptr<PlannedKernel>(self);
    if (kernel.calls_ && !names && !are_streams_in_use_) {
      const nb::object held = kernel.plans_;
      nb::object made = kernel.calls_->call(nb::borrow<nb::tuple>(arguments), nb::none(), block, nb::none());
      if (made.ptr() != Py_NotImplemented) return made.release().ptr();
    }
    const nb::object method = nb::handle(self).attr("_call");
    return PyObject_Call(method.ptr(), arguments, names);
  });
}

int PlannedKernel::traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  if (nb::inst_ready(self)) Py_VISIT(nb::inst_ptr<PlannedKernel>(self)->plans_.ptr());
  return 0;
}

}  // namespace tessera::bind
