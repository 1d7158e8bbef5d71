/// Baseline: machine code of a kernel without a compiler, generated in some 50 microseconds. Kernels of straight-line
/// lanes become loops over vectors of lanes, and calls of precompiled loops for the instructions that these do not
/// support.
#pragma once

#include <memory>

#include "tessera/base/cpu_level.h"
#include "tessera/lanes/baseline/machine_code.h"
#include "tessera/lanes/baseline/program.h"
#include "tessera/lanes/exact_kernel.h"

namespace tessera::lanes {

class Baseline {
 public:
  /// Null for kernels with control flow, arrays or atomics, and on processors below x86-64-v3.
  /// `level` 3 or 4 forces AVX2 or AVX-512.
  static std::unique_ptr<Baseline> try_make(const ir::Kernel& kernel, int level = cpu_level());
  Baseline(const Baseline&) = delete;
  Baseline& operator=(const Baseline&) = delete;

  ir::KernelEntry entry() const { return entry_; }
  /// Runs a box; thread-safe for disjoint boxes.
  void run(const ir::KernelArguments& arguments, const int64_t* begin, const int64_t* end) const;

 private:
  Baseline(const ir::Kernel& kernel, int level) : code_(level), exact_(kernel) {}

  friend class BaselineRun;
  MachineCode code_;
  BaselineProgram program_;
  mutable ExactKernel exact_;
  ir::KernelEntry entry_ = nullptr;
};

}  // namespace tessera::lanes
