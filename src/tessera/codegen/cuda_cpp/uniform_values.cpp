#include "tessera/codegen/cuda_cpp/uniform_values.h"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/InstIterator.h>

namespace tessera::codegen::cuda_cpp {

namespace {

bool is_of_thread(const llvm::Instruction& i) {
  if (const auto* call = llvm::dyn_cast<llvm::CallInst>(&i)) {
    const llvm::Function* called = call->getCalledFunction();
    if (!called) return true;
    if (is_coordinate(*call))
      return called->getName() == "__tessera_thread" || called->getName() == "__tessera_linear_thread";
    return !(called->isIntrinsic() && called->doesNotAccessMemory());
  }
  if (llvm::isa<llvm::LoadInst>(i)) return !i.hasMetadata(llvm::LLVMContext::MD_invariant_load);
  return llvm::isa<llvm::AllocaInst, llvm::AtomicRMWInst, llvm::AtomicCmpXchgInst, llvm::VAArgInst>(i);
}

}  // namespace

bool is_coordinate(const llvm::CallInst& call) {
  const llvm::Function* called = call.getCalledFunction();
  if (!called) return false;
  for (const char* name : {"__tessera_thread", "__tessera_block", "__tessera_block_extent", "__tessera_grid_extent",
                           "__tessera_linear_thread", "__tessera_shared"})
    if (called->getName() == name) return true;
  return false;
}

UniformValues::UniformValues(llvm::Function& function) {
  for (llvm::Instruction& i : llvm::instructions(function))
    if (is_of_thread(i)) mark(&i);
  llvm::SmallPtrSet<const llvm::BasicBlock*, 8> branched;
  while (!work_.empty()) {
    const llvm::Value* value = work_.pop_back_val();
    for (const llvm::User* user : value->users()) {
      const auto* i = llvm::dyn_cast<llvm::Instruction>(user);
      if (!i) continue;
      mark(i);
      if (i->isTerminator() && i->getNumSuccessors() > 1 && branched.insert(i->getParent()).second)
        mark_joined(*i->getParent(), function);
    }
  }
}

void UniformValues::mark(const llvm::Value* value) {
  if (differing_.insert(value).second) work_.push_back(value);
}

void UniformValues::mark_joined(const llvm::BasicBlock& from, llvm::Function& function) {
  const llvm::PostDominatorTree tree(function);
  const auto* node = tree.getNode(&from);
  const llvm::BasicBlock* join = node && node->getIDom() ? node->getIDom()->getBlock() : nullptr;
  llvm::SmallPtrSet<const llvm::BasicBlock*, 16> seen;
  llvm::SmallVector<const llvm::BasicBlock*, 16> blocks(llvm::successors(&from));
  while (!blocks.empty()) {
    const llvm::BasicBlock* block = blocks.pop_back_val();
    if (!seen.insert(block).second) continue;
    for (const llvm::PHINode& phi : block->phis()) mark(&phi);
    if (block == join) continue;
    for (const llvm::BasicBlock* next : llvm::successors(block)) blocks.push_back(next);
  }
  // What a loop that threads leave at different times computes is another thing for each once they are out.
  if (!seen.contains(&from)) return;
  for (const llvm::BasicBlock* block : seen)
    for (const llvm::Instruction& i : *block)
      for (const llvm::User* user : i.users())
        if (!seen.contains(llvm::cast<llvm::Instruction>(user)->getParent()) ||
            llvm::cast<llvm::Instruction>(user)->getParent() == join)
          mark(llvm::cast<llvm::Instruction>(user)), mark(&i);
}

}  // namespace tessera::codegen::cuda_cpp
