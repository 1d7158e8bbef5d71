/// Kernels as PTX text.
#pragma once

#include <string>

#include <llvm/IR/LLVMContext.h>

#include "tessera/codegen/emit/math_library.h"
#include "tessera/ir/kernel.h"

namespace tessera::codegen {

/// PTX for compute capability sm, one entry named entry_symbol; see emit_device.cpp for its parameters.
std::string make_ptx(const ir::Kernel& kernel, int sm, llvm::LLVMContext& context, MathLibrary& math);

}  // namespace tessera::codegen
