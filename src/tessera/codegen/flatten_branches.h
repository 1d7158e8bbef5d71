/// FlattenBranches: makes selects of branches that only compute.
#pragma once

#include <llvm/IR/PassManager.h>

namespace tessera::codegen {

/// Branches that choose between a few values which both sides may compute, the innermost first. LLVM does the same, but
/// makes a switch of comparisons of one value with constants before that, and no vector code of loops with a switch.
struct FlattenBranches : llvm::PassInfoMixin<FlattenBranches> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace tessera::codegen
