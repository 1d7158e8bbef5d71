/// UnrollKnownLoops: marks inner loops of few iterations, whose number is known, to be unrolled as a whole.
#pragma once

#include <llvm/IR/PassManager.h>

namespace tessera::codegen {

/// LLVM's own limit leaves loops with barriers and index arithmetic, such as the steps of an FFT, as they are, although
/// most of what they compute is constant in each iteration.
struct UnrollKnownLoops : llvm::PassInfoMixin<UnrollKnownLoops> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace tessera::codegen
