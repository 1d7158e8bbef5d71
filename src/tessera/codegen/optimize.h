/// The passes over a kernel's LLVM IR: one visible list a tier.
#pragma once

#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include "tessera/codegen/compiler.h"

namespace tessera::codegen {

void optimize(llvm::Module& module, llvm::TargetMachine& machine, Tier tier);
/// The same for a device: no vectors, so lanes are left as they are.
void optimize_device(llvm::Module& module, llvm::TargetMachine& machine, bool is_fast_compile);

}  // namespace tessera::codegen
