/// Regions of a kernel as functions over threads: RegionCode.
#pragma once

#include <llvm/IR/Function.h>

#include "tessera/codegen/cuda_cpp/split_kernel.h"

namespace tessera::codegen::cuda_cpp {

struct RegionFunctions {
  llvm::Function* all = nullptr;
  llvm::Function* chosen = nullptr;  // null in kernels without meetings
};

/// The functions of one of a kernel's regions, in its module.
RegionFunctions make_region_code(const SplitKernel& kernel, size_t region);

}  // namespace tessera::codegen::cuda_cpp
