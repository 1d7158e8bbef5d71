#include "tessera/codegen/advise_loops.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Analysis/VectorUtils.h>
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

bool has_scatters(const llvm::Loop& loop, llvm::ScalarEvolution& evolution) {
  for (const llvm::BasicBlock* block : loop.blocks())
    for (const llvm::Instruction& i : *block) {
      const auto* store = llvm::dyn_cast<llvm::StoreInst>(&i);
      if (store && is_scatter(*store, loop, evolution)) return true;
    }
  return false;
}

/// The width of the vectors that functions called in the loop take, if they all take the same; else 0.
unsigned width_of_calls(const llvm::Loop& loop) {
  unsigned width = 0;
  for (const llvm::BasicBlock* block : loop.blocks())
    for (const llvm::Instruction& i : *block) {
      const auto* call = llvm::dyn_cast<llvm::CallInst>(&i);
      if (!call) continue;
      for (const llvm::VFInfo& variant : llvm::VFDatabase::getMappings(*call)) {
        const unsigned own = variant.Shape.VF.getFixedValue();
        if (width != 0 && own != width) return 0;
        width = own;
      }
    }
  return width;
}

}  // namespace

llvm::PreservedAnalyses AdviseLoops::run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
  auto& evolution = analyses.getResult<llvm::ScalarEvolutionAnalysis>(function);
  for (llvm::Loop* loop : analyses.getResult<llvm::LoopAnalysis>(function).getLoopsInPreorder()) {
    if (!loop->isInnermost()) {
      llvm::addStringMetadataToLoop(loop, "llvm.loop.unroll.disable", 1);
    } else if (has_scatters(*loop, evolution)) {
      llvm::addStringMetadataToLoop(loop, "llvm.loop.vectorize.enable", 0);
    } else if (const unsigned width = width_of_calls(*loop)) {
      llvm::addStringMetadataToLoop(loop, "llvm.loop.vectorize.width", width);
    }
  }
  return llvm::PreservedAnalyses::all();
}

llvm::PreservedAnalyses KeepRemaindersRolled::run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
  for (llvm::Loop* loop : analyses.getResult<llvm::LoopAnalysis>(function).getLoopsInPreorder())
    if (llvm::getBooleanLoopAttribute(loop, "llvm.loop.isvectorized"))
      llvm::addStringMetadataToLoop(loop, "llvm.loop.unroll.disable", 1);
  return llvm::PreservedAnalyses::all();
}

}  // namespace tessera::codegen
