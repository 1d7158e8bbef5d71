/// The code that a user kernel becomes, as text for its author.
#pragma once

#include <memory>
#include <string>

#include "tessera/ir/kernel.h"

namespace tessera {

/// PTX of one entry named tessera_kernel for a compute capability such as 80, for contiguous arrays that share no
/// memory and blocks of at most `threads`. Needs no device. Throws NotImplementedError without a compiler.
std::string ptx_of(const std::shared_ptr<const ir::Kernel>& kernel, int capability, int threads);
/// LLVM IR of the kernel's code for the cores.
std::string llvm_of(const std::shared_ptr<const ir::Kernel>& kernel);

}  // namespace tessera
