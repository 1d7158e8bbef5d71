/// Program: a kernel made ready for the block interpreter, the reference execution of the IR.
#pragma once

#include <memory>

#include "tessera/ir/arguments.h"
#include "tessera/ir/kernel.h"

namespace tessera::ir {

/// Each instruction works on a block of lanes along the innermost axis with a precompiled loop, under a mask inside
/// divergent control flow. No compile step beyond slot assignment: cheap enough for first calls.
class Program {
 public:
  explicit Program(const Kernel& kernel);
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  /// Runs the lanes of the box [begin, end); same contract as KernelEntry.
  void run(const KernelArguments& arguments, const int64_t* begin, const int64_t* end) const;

  struct Impl;

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace tessera::ir
