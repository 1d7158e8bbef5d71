/// Runs the blocks of a kernel from CUDA C++: threads run in loops from meeting to meeting.
#pragma once

#include "tessera/codegen/cuda_cpp/module_record.h"

namespace tessera::codegen::cuda_cpp {

/// Runs a launch on the threads that `in_parallel` has.
void run_launch(const KernelRecord& kernel, const HostLaunch& launch, const InParallel& in_parallel);

/// Whether blocks wait for each other.
bool meets_in_grid(const KernelRecord& kernel);

}  // namespace tessera::codegen::cuda_cpp
