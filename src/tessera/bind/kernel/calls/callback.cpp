#include "tessera/bind/kernel/calls/callback.h"

#include <Python.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

#include "tessera/base/error.h"
#include "tessera/bind/convert/convert.h"
#include "tessera/bind/engine/errors.h"
#include "tessera/bind/engine/without_gil.h"
#include "tessera/bind/kernel/calls/report_text.h"

namespace tessera::bind {

using kernel::ReportLayout;

namespace {

constexpr size_t most_buffers = 24;

}  // namespace

Callback::Callback(std::shared_ptr<CompiledFunction> function, std::vector<DType> parameters,
                   std::optional<DType> result)
    : function_(std::move(function)), parameters_(std::move(parameters)), result_(result) {
  const kernel::Compiled& compiled = function_->compiled();
  const size_t buffers = compiled.kernel->buffers.size();
  is_alone_ = !compiled.calls_host && compiled.loops.parts.empty() && !compiled.prints && buffers <= most_buffers;
  if (is_alone_) {
    const std::span<const View> views = function_->own_views();
    results_ = compiled.reports ? 1 : 0;
    memory_.assign(results_ + 1 + compiled.heaps.size(), nullptr);
    for (const Array& constant : function_->constants())
      memory_.push_back(const_cast<char*>(Engine::instance().read(constant)));
    for (const View& view : views) {
      strides_.insert(strides_.end(), view.strides.begin(), view.strides.end());
      dimensions_.insert(dimensions_.end(), view.shape.begin(), view.shape.end());
    }
    run_ = Engine::instance().function_runner(compiled.kernel, views, memory_);
  }
  code_ = std::make_unique<CallbackCode>(parameters_, [this](const CallbackScalar* arguments) {
    return is_alone_ ? call_alone(arguments) : call_with_host(arguments);
  });
}

uint64_t Callback::call_alone(const CallbackScalar* arguments) const {
  std::array<char*, most_buffers> memory;
  std::ranges::copy(memory_, memory.begin());
  std::array<int64_t, ReportLayout::size> report;
  std::array<int64_t, 3> results{};
  const bool reports = function_->compiled().reports;
  if (reports) {
    report.fill(0);
    memory[0] = reinterpret_cast<char*>(report.data());
  }
  memory[results_] = reinterpret_cast<char*>(results.data());
  run_({.buffers = memory.data(),
        .strides = strides_.data(),
        .dimensions = dimensions_.data(),
        .scalars = reinterpret_cast<const char*>(arguments),
        .extents = nullptr,
        .flags = nullptr});
  if (reports && report[ReportLayout::site] > 0) {
    print_failure([&] { throw_report(function_->compiled().sites, report, false); });
    return 0;
  }
  return result_ && results[0] != 0 ? bits_of(results[1]) : 0;
}

uint64_t Callback::call_with_host(const CallbackScalar* arguments) const {
  uint64_t bits = 0;
  print_failure([&] {
    CallArguments given;
    for (size_t k = 0; k < parameters_.size(); ++k) {
      Scalar scalar{.dtype = parameters_[k]};
      std::memcpy(scalar.bytes, arguments[k].words, 16);
      given.scalars.push_back(scalar);
    }
    const Object returned = owned(function_->call(given, nullptr, 0, 0));
    if (!result_ || returned.get() == Py_None) return;
    if (is_floating(*result_)) {
      bits = bits_of(std::bit_cast<int64_t>(PyFloat_AsDouble(returned.get())));
    } else if (is_unsigned_integer(*result_)) {
      bits = PyLong_AsUnsignedLongLong(returned.get());
    } else {
      bits = static_cast<uint64_t>(PyLong_AsLongLong(returned.get()));
    }
    if (PyErr_Occurred()) throw ErrorAlreadySet();
  });
  return bits;
}

/// Runs it under Python's lock; what it raises goes to sys.unraisablehook.
void Callback::print_failure(const std::function<void()>& fail) const {
  const WithGil locked;
  try {
    fail();
  } catch (...) {
    set_python_error();
    const Object name = owned(PyUnicode_FromString(function_->kernel().name.c_str()));
    PyErr_WriteUnraisable(name.get());
  }
}

/// Of a word of results: as the register has them.
uint64_t Callback::bits_of(int64_t word) const {
  if (*result_ == DType::float32) return std::bit_cast<uint32_t>(static_cast<float>(std::bit_cast<double>(word)));
  return static_cast<uint64_t>(word);
}

}  // namespace tessera::bind
