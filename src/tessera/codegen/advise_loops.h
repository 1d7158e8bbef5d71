/// AdviseLoops: tells LLVM's passes what they would decide badly for the loops of a function.
#pragma once

#include <llvm/IR/PassManager.h>

namespace tessera::codegen {

/// Of innermost loops:
///
///   stores of one or two bytes at no constant distance, as of a sieve: stay scalar. No instruction scatters these;
///   LLVM would compare 64 indices at a time, then write out 64 stores, in four times the time to compile.
///
///   calls of functions that take vectors of one width: vectors of this width only. Narrower ones for the last
///   iterations would call lane by lane, and are half of the code.
///
/// Loops around others are not unrolled: that repeats the inner loops.
struct AdviseLoops : llvm::PassInfoMixin<AdviseLoops> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

/// Behind the vectoriser: what it leaves of a loop for the last iterations is not unrolled, which were a third of the
/// code of a short function.
struct KeepRemaindersRolled : llvm::PassInfoMixin<KeepRemaindersRolled> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace tessera::codegen
