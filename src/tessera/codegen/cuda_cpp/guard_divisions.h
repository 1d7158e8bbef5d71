/// guard_divisions: integer divisions that raise a signal on the cores, and nothing on a GPU, raise none.
#pragma once

namespace llvm {
class Module;
}

namespace tessera::codegen::cuda_cpp {

/// Quotients and remainders by zero are 0, as in kernels in Python; the least number divided by -1 is itself, without
/// remainder. CUDA leaves both open.
void guard_divisions(llvm::Module& module);

}  // namespace tessera::codegen::cuda_cpp
