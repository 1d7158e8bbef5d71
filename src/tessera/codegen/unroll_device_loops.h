/// UnrollDeviceLoops: marks inner loops of a device's code that are to be unrolled.
#pragma once

#include <llvm/IR/PassManager.h>

namespace tessera::codegen {

/// Loops of few iterations, whose number is known, as a whole: LLVM's own limit leaves loops with barriers and index
/// arithmetic, such as the steps of an FFT, as they are, although most of what they compute is constant in each
/// iteration. Loops that only compute by four: a thread issues in order, so that the chains of two iterations overlap
/// only where they are one.
struct UnrollDeviceLoops : llvm::PassInfoMixin<UnrollDeviceLoops> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace tessera::codegen
