#include "tessera/codegen/cuda_cpp/split_kernel.h"

#include <algorithm>
#include <map>
#include <set>

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Local.h>

#include "tessera/codegen/cuda_cpp/uniform_values.h"

namespace tessera::codegen::cuda_cpp {

namespace {

using Values = std::vector<llvm::Instruction*>;

/// Calls `visit` for the blocks at whose beginning the value is alive.
template <class Visit>
void for_live_blocks(llvm::Instruction& value, Visit visit) {
  llvm::SmallPtrSet<llvm::BasicBlock*, 16> seen;
  llvm::SmallVector<llvm::BasicBlock*, 16> work;
  llvm::BasicBlock* home = value.getParent();
  for (llvm::Use& use : value.uses()) {
    auto* user = llvm::cast<llvm::Instruction>(use.getUser());
    llvm::BasicBlock* at = user->getParent();
    if (auto* phi = llvm::dyn_cast<llvm::PHINode>(user))
      at = phi->getIncomingBlock(use);
    else if (at == home && value.comesBefore(user))
      continue;
    if (at != home) work.push_back(at);
    // A use before the definition in its own block comes from around a loop.
    if (at == home && !llvm::isa<llvm::PHINode>(user)) work.push_back(at);
  }
  while (!work.empty()) {
    llvm::BasicBlock* block = work.pop_back_val();
    if (!seen.insert(block).second) continue;
    visit(*block);
    for (llvm::BasicBlock* before : llvm::predecessors(block))
      if (before != home) work.push_back(before);
  }
}

bool outlives_meeting(llvm::Instruction& value, const llvm::SmallPtrSetImpl<llvm::BasicBlock*>& entries) {
  bool found = false;
  for_live_blocks(value, [&](llvm::BasicBlock& block) { found |= entries.contains(&block); });
  return found;
}

/// Whether the value is computed from arguments and coordinates by so few cheap instructions that it is computed again.
bool is_cheap(llvm::Value* value, int& budget) {
  auto* i = llvm::dyn_cast<llvm::Instruction>(value);
  if (!i) return true;
  if (--budget < 0) return false;
  if (auto* call = llvm::dyn_cast<llvm::CallInst>(i)) return is_coordinate(*call);
  if (llvm::isa<llvm::LoadInst>(i) && i->hasMetadata(llvm::LLVMContext::MD_invariant_load))
    return is_cheap(i->getOperand(0), budget);
  if (!llvm::isa<llvm::BinaryOperator, llvm::CastInst, llvm::GetElementPtrInst, llvm::CmpInst, llvm::SelectInst,
                 llvm::FreezeInst>(i))
    return false;
  for (llvm::Value* operand : i->operands())
    if (!is_cheap(operand, budget)) return false;
  return true;
}

llvm::Value* copy_before(llvm::Value* value, llvm::Instruction* before, std::map<llvm::Value*, llvm::Value*>& made) {
  auto* i = llvm::dyn_cast<llvm::Instruction>(value);
  if (!i) return value;
  if (llvm::Value* known = made[value]) return known;
  llvm::Instruction* copy = i->clone();
  for (llvm::Use& operand : copy->operands()) operand.set(copy_before(operand.get(), before, made));
  copy->insertBefore(before);
  return made[value] = copy;
}

/// Cheap values are computed again in each block that uses them.
void compute_again(llvm::Function& function, const llvm::SmallPtrSetImpl<llvm::BasicBlock*>& entries) {
  Values again;
  for (llvm::Instruction& i : llvm::instructions(function)) {
    int budget = 16;
    if (!i.getType()->isVoidTy() && !llvm::isa<llvm::AllocaInst>(i) && is_cheap(&i, budget) &&
        outlives_meeting(i, entries))
      again.push_back(&i);
  }
  for (llvm::Instruction* value : again) {
    std::vector<llvm::Use*> uses;
    for (llvm::Use& use : value->uses()) {
      auto* user = llvm::cast<llvm::Instruction>(use.getUser());
      if (llvm::isa<llvm::PHINode>(user) || user->getParent() != value->getParent()) uses.push_back(&use);
    }
    for (llvm::Use* use : uses) {
      auto* user = llvm::cast<llvm::Instruction>(use->getUser());
      llvm::Instruction* before = user;
      if (auto* phi = llvm::dyn_cast<llvm::PHINode>(user)) before = phi->getIncomingBlock(*use)->getTerminator();
      std::map<llvm::Value*, llvm::Value*> made;
      llvm::Value* copy = copy_before(value, before, made);
      auto* phi = llvm::dyn_cast<llvm::PHINode>(user);
      if (phi)  // edges from one block have one value
        for (unsigned k = 0; k < phi->getNumIncomingValues(); ++k)
          if (phi->getIncomingBlock(k) == phi->getIncomingBlock(*use) && phi->getIncomingValue(k) == value &&
              &phi->getOperandUse(k) != use)
            phi->setIncomingValue(k, copy);
      if (use->get() == value) use->set(copy);
    }
  }
  for (llvm::Instruction* value : again) llvm::RecursivelyDeleteTriviallyDeadInstructions(value);
}

/// The blocks that a thread may run from here until it meets others.
std::vector<llvm::BasicBlock*> reachable(llvm::BasicBlock* entry) {
  std::vector<llvm::BasicBlock*> found{entry};
  llvm::SmallPtrSet<llvm::BasicBlock*, 16> seen{entry};
  for (size_t k = 0; k < found.size(); ++k) {
    llvm::BasicBlock* block = found[k];
    llvm::Instruction* last = block->getTerminator()->getPrevNode();
    if (last && as_meeting(*last)) continue;
    for (llvm::BasicBlock* next : llvm::successors(block))
      if (seen.insert(next).second) found.push_back(next);
  }
  return found;
}

/// Threads of a block that meet elsewhere are kept together in loops that all of them leave at the same time: each
/// iteration is done for all threads before the next, and so as vectors.
void meet_in_loops(llvm::Function& function, llvm::Function& meet) {
  const llvm::DominatorTree tree(function);
  const llvm::LoopInfo loops(tree);
  const UniformValues uniform(function);
  std::vector<llvm::BasicBlock*> latches;
  for (llvm::Loop* loop : loops.getLoopsInPreorder()) {
    if (!loop->isInnermost() || !loop->getLoopLatch()) continue;
    llvm::SmallVector<llvm::BasicBlock*, 4> exiting;
    loop->getExitingBlocks(exiting);
    const bool is_uniform = std::ranges::all_of(exiting, [&](llvm::BasicBlock* block) {
      auto* branch = llvm::dyn_cast<llvm::BranchInst>(block->getTerminator());
      auto* condition =
          branch && branch->isConditional() ? llvm::dyn_cast<llvm::Instruction>(branch->getCondition()) : nullptr;
      return condition && uniform.contains(*condition);
    });
    bool is_plain = is_uniform;
    for (llvm::BasicBlock* block : loop->blocks())
      for (llvm::Instruction& i : *block) {
        auto* call = llvm::dyn_cast<llvm::CallInst>(&i);
        is_plain &= !i.isAtomic() && (!call || (call->getCalledFunction() && call->doesNotAccessMemory()));
      }
    if (is_plain) latches.push_back(loop->getLoopLatch());
  }
  for (llvm::BasicBlock* latch : latches) {
    llvm::IRBuilder<> b(latch->getTerminator());
    b.CreateCall(&meet, {b.getInt32(static_cast<uint32_t>(Meeting::loop)), b.getInt32(0)});
  }
}

/// Whether there are meetings, and all are of whole blocks.
bool meets_as_block(llvm::Function& function) {
  bool is_any = false;
  for (llvm::Instruction& i : llvm::instructions(function)) {
    if (!as_meeting(i)) continue;
    const auto kind = static_cast<Meeting>(llvm::cast<llvm::ConstantInt>(i.getOperand(0))->getSExtValue());
    if (kind != Meeting::block && kind != Meeting::block_vote) return false;
    is_any = true;
  }
  return is_any;
}

}  // namespace

llvm::CallInst* as_meeting(llvm::Instruction& instruction) {
  auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
  const llvm::Function* called = call ? call->getCalledFunction() : nullptr;
  return called && called->getName() == meet_symbol ? call : nullptr;
}

int SplitKernel::after(const llvm::BasicBlock& block) const {
  llvm::Instruction* last = const_cast<llvm::Instruction*>(block.getTerminator()->getPrevNode());
  if (!last || !as_meeting(*last)) return -1;
  const llvm::BasicBlock* next = block.getTerminator()->getSuccessor(0);
  for (size_t k = 1; k < regions.size(); ++k)
    if (regions[k].entry == next) return static_cast<int>(k);
  return -1;
}

namespace {

using Branches = llvm::SmallPtrSet<const llvm::Instruction*, 16>;

/// Whether threads come to one end, where they go the same way at these branches.
bool ends_together(const SplitKernel& kernel, const Region& region, const Branches& uniform) {
  std::map<const llvm::BasicBlock*, std::set<int>> ends;
  const auto is_end = [&](const llvm::BasicBlock& block) {
    return kernel.after(block) >= 0 || llvm::succ_empty(&block);
  };
  for (bool is_new = true; is_new;) {
    is_new = false;
    for (const llvm::BasicBlock* block : region.blocks) {
      std::set<int>& own = ends[block];
      const size_t before = own.size();
      if (is_end(*block)) own.insert(kernel.after(*block));
      if (!is_end(*block))
        for (const llvm::BasicBlock* next : llvm::successors(block)) own.insert(ends[next].begin(), ends[next].end());
      is_new |= own.size() != before;
    }
  }
  return std::ranges::all_of(region.blocks, [&](const llvm::BasicBlock* block) {
    return is_end(*block) || ends[block].size() < 2 || block->getTerminator()->getNumSuccessors() < 2 ||
           uniform.contains(block->getTerminator());
  });
}

/// Whether threads that go different ways at a branch may wait at different meetings at the same time, or at one for
/// the first and the second time: then what each group computes in a region is its own. Threads that end meanwhile do
/// not.
bool meets_apart(const llvm::Function& function, const UniformValues& uniform,
                 const llvm::SmallPtrSetImpl<llvm::BasicBlock*>& entries) {
  const llvm::PostDominatorTree tree(const_cast<llvm::Function&>(function));
  for (const llvm::BasicBlock& block : function) {
    const llvm::Instruction* end = block.getTerminator();
    if (end->getNumSuccessors() < 2) continue;
    const auto* condition = llvm::dyn_cast<llvm::Instruction>(end->getOperand(0));
    if (!condition || uniform.contains(*condition)) continue;
    const auto* node = tree.getNode(&block);
    const llvm::BasicBlock* join = node && node->getIDom() ? node->getIDom()->getBlock() : nullptr;
    int ways = 0;  // with a meeting before the join
    for (const llvm::BasicBlock* way : llvm::successors(&block)) {
      llvm::SmallPtrSet<const llvm::BasicBlock*, 16> seen;
      llvm::SmallVector<const llvm::BasicBlock*, 16> blocks{way};
      bool meets = false;
      while (!blocks.empty()) {
        const llvm::BasicBlock* at = blocks.pop_back_val();
        if (at == join || !seen.insert(at).second) continue;
        meets |= entries.contains(at);
        blocks.append(llvm::succ_begin(at), llvm::succ_end(at));
      }
      ways += meets;
    }
    if (ways > 1 || (ways == 1 && join && !llvm::succ_empty(join))) return true;
  }
  return false;
}

/// Gives each value that outlives a meeting a slot.
void keep_values(SplitKernel& made, const llvm::SmallPtrSetImpl<llvm::BasicBlock*>& entries, const Values& allocas) {
  llvm::Function& function = *made.function;
  Values kept;
  for (llvm::Instruction& i : llvm::instructions(function))
    if (!llvm::isa<llvm::AllocaInst>(i) && !i.getType()->isVoidTy() && outlives_meeting(i, entries)) kept.push_back(&i);
  const UniformValues uniform(function);
  // Where threads meet in warps, one warp may be ahead of another.
  const bool is_together = std::ranges::none_of(made.regions,
                                                [](const Region& region) {
                                                  return region.before == Meeting::warp ||
                                                         region.before == Meeting::warp_exchange ||
                                                         region.before == Meeting::warp_vote;
                                                }) &&
                           !meets_apart(function, uniform, entries);
  Branches uniform_branches;
  for (const llvm::BasicBlock& block : function) {
    const auto* branch = llvm::dyn_cast<llvm::BranchInst>(block.getTerminator());
    const auto* condition =
        branch && branch->isConditional() ? llvm::dyn_cast<llvm::Instruction>(branch->getCondition()) : nullptr;
    if (is_together && condition && uniform.contains(*condition)) uniform_branches.insert(branch);
  }
  llvm::BasicBlock* variables = &function.getEntryBlock();
  const llvm::DataLayout& layout = function.getParent()->getDataLayout();
  const auto take = [&](llvm::Type* type, int64_t& total) {
    const int64_t at = total;
    total += (static_cast<int64_t>(layout.getTypeAllocSize(type).getFixedValue()) + 15) / 16 * 16;
    return at;
  };
  std::vector<std::pair<llvm::AllocaInst*, llvm::SmallPtrSet<llvm::BasicBlock*, 8>>> live;
  for (llvm::Instruction* value : kept) {
    llvm::SmallPtrSet<llvm::BasicBlock*, 8> at;
    for_live_blocks(*value, [&](llvm::BasicBlock& block) {
      if (entries.contains(&block)) at.insert(&block);
    });
    const bool is_uniform = is_together && uniform.contains(*value);
    llvm::Type* type = value->getType();
    llvm::AllocaInst* variable = llvm::DemoteRegToStack(*value, false, variables->getTerminator()->getIterator());
    if (!variable) continue;
    Slot slot{.variable = variable, .is_uniform = is_uniform};
    slot.offset = take(type, is_uniform ? made.uniform_bytes : made.thread_bytes);
    made.slots.push_back(slot);
    live.emplace_back(variable, at);
  }
  for (llvm::Instruction* alloca : allocas) {
    auto* variable = llvm::cast<llvm::AllocaInst>(alloca);
    made.slots.push_back(
        {.variable = variable, .offset = take(variable->getAllocatedType(), made.thread_bytes), .is_array = true});
  }
  for (Region& region : made.regions) {
    region.blocks = reachable(region.entry);
    for (const auto& [variable, at] : live)
      if (at.contains(region.entry)) region.live_in.insert(variable);
    region.ends_together = is_together && ends_together(made, region, uniform_branches);
  }
}

}  // namespace

/// What add_checks has written.
std::string place_in_source(const llvm::Instruction& meeting) {
  const llvm::MDNode* node = meeting.getMetadata(place_metadata);
  return node ? llvm::cast<llvm::MDString>(node->getOperand(0))->getString().str() : std::string();
}

SplitKernel split_kernel(llvm::Function& function, bool is_checked) {
  SplitKernel made{.function = &function, .regions = {}, .slots = {}};
  if (!is_checked && meets_as_block(function)) meet_in_loops(function, *function.getParent()->getFunction(meet_symbol));
  // Variables go to a block of their own, which is part of no region.
  llvm::BasicBlock* variables = &function.getEntryBlock();
  llvm::BasicBlock* first = llvm::SplitBlock(variables, variables->begin());
  Values allocas, meetings;
  for (llvm::Instruction& i : llvm::instructions(function)) {
    if (llvm::isa<llvm::AllocaInst>(i)) allocas.push_back(&i);
    if (as_meeting(i)) meetings.push_back(&i);
  }
  for (llvm::Instruction* alloca : allocas) alloca->moveBefore(variables->getTerminator());
  made.regions.push_back({.entry = first, .before = Meeting::none});
  llvm::SmallPtrSet<llvm::BasicBlock*, 16> entries;
  for (llvm::Instruction* meeting : meetings) {
    llvm::BasicBlock* after = llvm::SplitBlock(meeting->getParent(), meeting->getNextNode());
    const auto kind = llvm::cast<llvm::ConstantInt>(meeting->getOperand(0))->getSExtValue();
    made.regions.push_back({.entry = after, .before = static_cast<Meeting>(kind), .place = place_in_source(*meeting)});
    entries.insert(after);
  }
  if (meetings.empty()) {
    made.regions[0].blocks = reachable(first);
    return made;
  }
  compute_again(function, entries);
  keep_values(made, entries, allocas);
  return made;
}

}  // namespace tessera::codegen::cuda_cpp
