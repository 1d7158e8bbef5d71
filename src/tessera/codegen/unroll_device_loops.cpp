#include "tessera/codegen/unroll_device_loops.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

namespace tessera::codegen {

namespace {

constexpr unsigned most_iterations = 16;
constexpr size_t most_instructions = 1400;
// Of a loop that only computes: iterations that are joined, and its instructions.
constexpr unsigned joined_iterations = 4;
constexpr size_t most_computing = 128;

size_t size_of(const llvm::Loop& loop) {
  size_t size = 0;
  for (const llvm::BasicBlock* block : loop.blocks()) size += block->size();
  return size;
}

/// Whether the loop, with one exit at its end, neither reads nor writes memory nor meets other threads.
bool only_computes(const llvm::Loop& loop) {
  if (!loop.getLoopLatch() || loop.getExitingBlock() != loop.getLoopLatch()) return false;
  for (const llvm::BasicBlock* block : loop.blocks())
    for (const llvm::Instruction& i : *block) {
      const auto* call = llvm::dyn_cast<llvm::CallBase>(&i);
      if (i.mayReadOrWriteMemory() || (call && call->isConvergent())) return false;
    }
  return true;
}

}  // namespace

llvm::PreservedAnalyses UnrollDeviceLoops::run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
  auto& evolution = analyses.getResult<llvm::ScalarEvolutionAnalysis>(function);
  for (llvm::Loop* loop : analyses.getResult<llvm::LoopAnalysis>(function).getLoopsInPreorder()) {
    if (!loop->isInnermost() || llvm::hasUnrollTransformation(loop) != llvm::TM_Unspecified) continue;
    const unsigned iterations = evolution.getSmallConstantTripCount(loop);
    if (iterations == 0 && size_of(*loop) <= most_computing && only_computes(*loop)) {
      llvm::addStringMetadataToLoop(loop, "llvm.loop.unroll.count", joined_iterations);
      continue;
    }
    if (iterations < 2 || iterations > most_iterations || iterations * size_of(*loop) > most_instructions) continue;
    llvm::addStringMetadataToLoop(loop, "llvm.loop.unroll.full");
  }
  return llvm::PreservedAnalyses::all();
}

}  // namespace tessera::codegen
