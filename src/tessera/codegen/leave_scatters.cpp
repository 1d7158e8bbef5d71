#include "tessera/codegen/leave_scatters.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

namespace tessera::codegen {

namespace {

constexpr unsigned least_scattered_bytes = 4;

bool is_scatter(const llvm::StoreInst& store, const llvm::Loop& loop, llvm::ScalarEvolution& evolution) {
  const llvm::DataLayout& layout = loop.getHeader()->getDataLayout();
  if (layout.getTypeStoreSize(store.getValueOperand()->getType()) >= least_scattered_bytes) return false;
  const llvm::SCEV* address = evolution.getSCEV(const_cast<llvm::Value*>(store.getPointerOperand()));
  if (evolution.isLoopInvariant(address, &loop)) return false;
  const auto* steps = llvm::dyn_cast<llvm::SCEVAddRecExpr>(address);
  return !steps || !llvm::isa<llvm::SCEVConstant>(steps->getStepRecurrence(evolution));
}

}  // namespace

llvm::PreservedAnalyses LeaveScatters::run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
  auto& evolution = analyses.getResult<llvm::ScalarEvolutionAnalysis>(function);
  for (llvm::Loop* loop : analyses.getResult<llvm::LoopAnalysis>(function).getLoopsInPreorder()) {
    if (!loop->isInnermost()) continue;
    for (const llvm::BasicBlock* block : loop->blocks())
      for (const llvm::Instruction& i : *block) {
        const auto* store = llvm::dyn_cast<llvm::StoreInst>(&i);
        if (store && is_scatter(*store, *loop, evolution))
          llvm::addStringMetadataToLoop(loop, "llvm.loop.vectorize.enable", 0);
      }
  }
  return llvm::PreservedAnalyses::all();
}

}  // namespace tessera::codegen
