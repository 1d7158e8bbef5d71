/// Compiles kernels to PTX text.
#pragma once

#include <string>

#include <llvm/IR/LLVMContext.h>

#include "tessera/codegen/compiler.h"
#include "tessera/codegen/emit/primitives/math_library.h"
#include "tessera/ir/kernel.h"

namespace tessera::codegen {

/// PTX with one entry named entry_symbol; see device_parameters.h for its parameters.
std::string make_ptx(const ir::Kernel& kernel, const DeviceMapping& mapping, llvm::LLVMContext& context,
                     MathLibrary& math);
/// PTX of a function that other code calls.
std::string make_function_ptx(const ir::Kernel& kernel, const DeviceFunction& function, llvm::LLVMContext& context,
                              MathLibrary& math);

}  // namespace tessera::codegen
