/// Functions of C's mathematics become those of the math library: of one number, and of a vector register's in loops
/// that are vectorised.
#pragma once

#include <llvm/IR/Module.h>

namespace tessera::codegen::cuda_cpp {

/// Roots, roundings and the like become LLVM's instructions; to be done before anything is simplified.
void use_intrinsics(llvm::Module& module);
/// The others, in code that is about to be vectorised.
void call_math(llvm::Module& module, int level);

}  // namespace tessera::codegen::cuda_cpp
