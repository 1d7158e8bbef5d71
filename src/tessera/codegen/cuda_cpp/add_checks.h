/// add_checks: calls that tell what each thread does, in kernels that are checked.
#pragma once

#include <vector>

#include <llvm/IR/Module.h>

#include "tessera/codegen/cuda_cpp/prepare_kernel.h"

namespace tessera::codegen::cuda_cpp {

/// Marks the return statements of kernels, in clang's code before anything is inlined.
void mark_returns(const std::vector<FoundKernel>& kernels);
/// Adds the calls to a kernel into which everything has been inlined, and whose variables are still in memory.
void add_checks(llvm::Function& kernel);

}  // namespace tessera::codegen::cuda_cpp
