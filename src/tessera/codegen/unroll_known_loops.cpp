#include "tessera/codegen/unroll_known_loops.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

namespace tessera::codegen {

namespace {

constexpr unsigned most_iterations = 16;
constexpr size_t most_instructions = 1400;

size_t size_of(const llvm::Loop& loop) {
  size_t size = 0;
  for (const llvm::BasicBlock* block : loop.blocks()) size += block->size();
  return size;
}

}  // namespace

llvm::PreservedAnalyses UnrollKnownLoops::run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
  auto& evolution = analyses.getResult<llvm::ScalarEvolutionAnalysis>(function);
  for (llvm::Loop* loop : analyses.getResult<llvm::LoopAnalysis>(function).getLoopsInPreorder()) {
    if (!loop->isInnermost() || llvm::hasUnrollTransformation(loop) != llvm::TM_Unspecified) continue;
    const unsigned iterations = evolution.getSmallConstantTripCount(loop);
    if (iterations < 2 || iterations > most_iterations || iterations * size_of(*loop) > most_instructions) continue;
    llvm::addStringMetadataToLoop(loop, "llvm.loop.unroll.full");
  }
  return llvm::PreservedAnalyses::all();
}

}  // namespace tessera::codegen
