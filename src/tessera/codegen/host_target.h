/// The host as LLVM sees it: CPU level, features, and the machine that writes code for it.
#pragma once

#include <memory>
#include <string>

#include <llvm/Target/TargetMachine.h>

#include "tessera/codegen/compiler.h"

namespace tessera::codegen {

/// x86-64-v<level> this processor has, by its feature bits, or what TESSERA_CPU_LEVEL lowers it to; at most `limit`
/// when that is not 0.
int host_level(int limit);
/// Code for the host; quick trades code for compile time.
std::unique_ptr<llvm::TargetMachine> make_host_machine(int level, Tier tier);
/// Prepares LLVM for the host once a process.
void initialize_host();

}  // namespace tessera::codegen
