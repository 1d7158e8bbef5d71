/// Calls that tell what each thread does, in kernels that are checked.
#pragma once

#include <vector>

#include <llvm/IR/Module.h>

#include "tessera/codegen/cuda_cpp/prepare_kernel.h"

namespace tessera::codegen::cuda_cpp {

/// Marks the return statements of kernels, in clang's code before anything is inlined.
void mark_returns(const std::vector<FoundKernel>& kernels);
/// Adds those of divisions to a kernel into which everything has been inlined, before anything is simplified.
void check_divisions(llvm::Function& kernel);
/// Adds those of accesses, fences and meetings.
void check_accesses(llvm::Function& kernel);

}  // namespace tessera::codegen::cuda_cpp
