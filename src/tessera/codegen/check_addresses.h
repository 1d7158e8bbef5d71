/// Address checks: the address sanitizer's, of what compiled kernels load and store, where this library is built with
/// it.
#pragma once

#include <llvm/ExecutionEngine/Orc/Core.h>
#include <llvm/IR/PassManager.h>

namespace tessera::codegen {

/// Adds the checks to the functions of a module for the host; the last pass.
void add_address_checks(llvm::Module& module, llvm::ModulePassManager& passes);
/// Gives loaded kernels the functions that the checks call.
void define_address_checks(llvm::orc::JITDylib& runtime);

}  // namespace tessera::codegen
