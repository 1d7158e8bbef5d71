/// Callback: a compiled function of numbers and pointers that code in C calls.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tessera/bind/kernel/calls/compiled_function.h"
#include "tessera/engine/kernels/callback_code.h"
#include "tessera/engine/kernels/function_arguments.h"
#include "tessera/layout/dtype.h"

namespace tessera::bind {

/// Called from any thread. What the function raises is printed, as what nobody can catch, and 0 is returned.
class Callback {
 public:
  /// Pointers are integers. Throws TypeError for numbers that no C function takes by the convention for those here.
  Callback(std::shared_ptr<CompiledFunction> function, std::vector<DType> parameters, std::optional<DType> result);

  uintptr_t address() const { return code_->address(); }

 private:
  uint64_t call(const CallbackScalar* arguments) const;
  uint64_t call_alone(const CallbackScalar* arguments) const;
  uint64_t call_with_host(const CallbackScalar* arguments) const;
  void print_failure(const std::function<void()>& fail) const;
  uint64_t bits_of(int64_t word) const;

  std::shared_ptr<CompiledFunction> function_;
  std::vector<DType> parameters_;
  std::optional<DType> result_;
  bool is_alone_ = false;  // it asks for nothing while it runs
  std::vector<char*> memory_;
  std::vector<int64_t> strides_, dimensions_;
  size_t results_ = 0;  // the number of their buffer, behind that of the report
  FunctionRunner run_;
  std::unique_ptr<CallbackCode> code_;
};

}  // namespace tessera::bind
