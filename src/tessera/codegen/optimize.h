/// The passes over a kernel's LLVM IR: one visible list a tier.
#pragma once

#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include "tessera/codegen/compiler.h"

namespace tessera::codegen {

void optimize(llvm::Module& module, llvm::TargetMachine& machine, Tier tier);

}  // namespace tessera::codegen
