#include "tessera/codegen/flatten_branches.h"

#include <array>

#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

namespace tessera::codegen {

namespace {

/// The cost of what may be computed in vain, in cheap instructions, and how many values may be chosen.
constexpr int most_cost = 4;
constexpr int most_values = 4;

/// What the block computes before it branches; no cost is given where not all of it may be computed in vain.
llvm::InstructionCost cost_of(const llvm::BasicBlock& block, const llvm::TargetTransformInfo& target) {
  llvm::InstructionCost cost = 0;
  for (const llvm::Instruction& i : block) {
    if (i.isTerminator()) break;
    if (llvm::isa<llvm::PHINode>(i) || !llvm::isSafeToSpeculativelyExecute(&i))
      return llvm::InstructionCost::getInvalid();
    cost += target.getInstructionCost(&i, llvm::TargetTransformInfo::TCK_SizeAndLatency);
  }
  return cost;
}

/// Whether the branch that leads to the block's two ways in is replaced.
bool try_flatten(llvm::BasicBlock& join, const llvm::TargetTransformInfo& target) {
  if (!llvm::isa<llvm::PHINode>(join.begin()) || !join.hasNPredecessors(2)) return false;
  std::array<llvm::BasicBlock*, 2> ways = {};
  llvm::BranchInst* branch = llvm::GetIfCondition(&join, ways[0], ways[1]);
  if (!branch) return false;
  llvm::BasicBlock* head = branch->getParent();
  llvm::InstructionCost cost = 0;
  int values = 0;
  for (llvm::PHINode& phi : join.phis()) {
    if (!phi.getType()->isIntegerTy() && !phi.getType()->isFloatingPointTy()) return false;
    ++values;
  }
  for (llvm::BasicBlock* way : ways)
    if (way != head) cost += cost_of(*way, target);
  if (values > most_values || !cost.isValid() || cost > most_cost * llvm::TargetTransformInfo::TCC_Basic) return false;
  for (llvm::BasicBlock* way : ways) {
    if (way == head) continue;
    head->splice(branch->getIterator(), way, way->begin(), way->getTerminator()->getIterator());
  }
  llvm::IRBuilder<> b(branch);
  while (auto* phi = llvm::dyn_cast<llvm::PHINode>(join.begin())) {
    phi->replaceAllUsesWith(b.CreateSelect(branch->getCondition(), phi->getIncomingValueForBlock(ways[0]),
                                           phi->getIncomingValueForBlock(ways[1])));
    phi->eraseFromParent();
  }
  b.CreateBr(&join);
  branch->eraseFromParent();
  for (llvm::BasicBlock* way : ways)
    if (way != head) llvm::DeleteDeadBlock(way);
  return true;
}

}  // namespace

llvm::PreservedAnalyses FlattenBranches::run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
  const auto& target = analyses.getResult<llvm::TargetIRAnalysis>(function);
  bool changed = false, again = true;
  while (again) {
    again = false;
    for (llvm::BasicBlock& block : function) {
      if (!try_flatten(block, target)) continue;
      llvm::MergeBlockIntoPredecessor(&block);
      again = changed = true;
      break;  // blocks are gone
    }
  }
  return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

}  // namespace tessera::codegen
