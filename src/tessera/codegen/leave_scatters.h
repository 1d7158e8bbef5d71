/// LeaveScatters: marks loops that no vector code is to be made of, as it could only store element by element.
#pragma once

#include <llvm/IR/PassManager.h>

namespace tessera::codegen {

/// Stores of one or two bytes at no constant distance, as of a sieve: no instruction scatters these. LLVM would compare
/// 64 indices at a time, then write out 64 stores: six times the code, and four times the time to compile it.
struct LeaveScatters : llvm::PassInfoMixin<LeaveScatters> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace tessera::codegen
