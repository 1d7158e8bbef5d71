/// From clang's LLVM IR of CUDA C++ for a device to a module for the cores.
#pragma once

#include <memory>
#include <string_view>

#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

namespace tessera::codegen::cuda_cpp {

/// A module with native code's records (module_record.h); kernels that are checked tell of their faults. Throws
/// NotImplementedError for what only a GPU has.
std::unique_ptr<llvm::Module> make_module(std::string_view bitcode, llvm::LLVMContext& context,
                                          llvm::TargetMachine& machine, int level, bool is_checked);

}  // namespace tessera::codegen::cuda_cpp
