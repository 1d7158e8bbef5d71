/// The LLVM passes run on a kernel's IR: one explicit list per tier.
#pragma once

#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include "tessera/codegen/compiler.h"

namespace tessera::codegen {

void optimize(llvm::Module& module, llvm::TargetMachine& machine, Tier tier);
/// The passes for a kernel whose accesses are checked: checks that are never needed go, and loops of which a launch can
/// tell beforehand that they need none are made without.
void optimize_checked(llvm::Module& module, llvm::TargetMachine& machine);
/// The passes for a function of one lane (the full tier).
void optimize_function(llvm::Module& module, llvm::TargetMachine& machine);
/// The passes for a device: without vectorisation, so lanes stay scalar. `unrolls` is for loops that a user wrote.
void optimize_device(llvm::Module& module, llvm::TargetMachine& machine, bool is_fast_compile, bool unrolls);

}  // namespace tessera::codegen
