/// The host as an LLVM target: CPU level, features, and the target machine that generates its code.
#pragma once

#include <memory>
#include <string>

#include <llvm/Target/TargetMachine.h>

#include "tessera/codegen/compiler.h"

namespace tessera::codegen {

/// The x86-64-v<level> of this processor by its feature bits, lowered by TESSERA_CPU_LEVEL if that is set; at most
/// `limit` when `limit` is not 0.
int host_level(int limit);
/// A target machine for the host; quick gives up code quality for compile time.
std::unique_ptr<llvm::TargetMachine> make_host_machine(int level, Tier tier);
/// Initialises LLVM's host target; does so once per process.
void initialize_host();

}  // namespace tessera::codegen
