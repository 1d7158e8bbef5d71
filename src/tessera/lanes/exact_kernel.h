/// ExactKernel: the interpreter that accompanies a compiled kernel, for strips in which a floating-point event (status
/// flag) may have happened.
#pragma once

#include <memory>
#include <mutex>

#include "tessera/ir/interpreter.h"

namespace tessera::lanes {

class ExactKernel {
 public:
  explicit ExactKernel(const ir::Kernel& kernel);
  /// Runs a box: computes results and records the events by kind. Thread-safe.
  static void run(ExactKernel* self, const ir::KernelArguments* arguments, const int64_t* begin, const int64_t* end);

 private:
  ir::Kernel kernel_;
  std::once_flag once_;
  std::unique_ptr<ir::Program> program_;  // made when first needed
};

}  // namespace tessera::lanes
