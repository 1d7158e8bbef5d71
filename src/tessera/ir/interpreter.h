/// Program: a kernel lowered for the block interpreter, the reference execution of the IR.
#pragma once

#include <memory>

#include "tessera/ir/arguments.h"
#include "tessera/ir/kernel.h"

namespace tessera::ir {

/// Each instruction runs a precompiled loop over a block of lanes along the innermost axis, under a mask inside
/// divergent control flow. Preparation only assigns slots and compiles nothing, so it is fast enough for first calls.
class Program {
 public:
  explicit Program(const Kernel& kernel);
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  /// Runs the lanes of the box [begin, end), as KernelEntry does.
  void run(const KernelArguments& arguments, const int64_t* begin, const int64_t* end) const;

  struct Impl;

 private:
  std::unique_ptr<Impl> impl_;
  std::unique_ptr<Impl>
      flat_;  // with the axes of a block as one; null where lanes do not meet or the block has one axis
};

}  // namespace tessera::ir
