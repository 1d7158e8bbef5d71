// Counted loops in the form that LLVM's passes expect: guarded, tested at the bottom, with one latch.
#include "tessera/codegen/emit/emitter.h"

namespace tessera::codegen {

llvm::Value* Control::loop_continues(llvm::Value* index, llvm::Value* end, llvm::Value* step) {
  if (auto* constant = llvm::dyn_cast<llvm::ConstantInt>(step)) {
    if (constant->isZero()) return b_.getFalse();
    return constant->isNegative() ? b_.CreateICmpSGT(index, end) : b_.CreateICmpSLT(index, end);
  }
  if (e_.frame.is_positive(step)) return b_.CreateICmpSLT(index, end);
  llvm::Value* zero = number(step->getType(), 0);
  llvm::Value* up = b_.CreateAnd(b_.CreateICmpSGT(step, zero), b_.CreateICmpSLT(index, end));
  llvm::Value* down = b_.CreateAnd(b_.CreateICmpSLT(step, zero), b_.CreateICmpSGT(index, end));
  return b_.CreateOr(up, down);
}

Loop Control::open_loop(llvm::Value* begin, llvm::Value* end, llvm::Value* step, bool surely_runs, const char* name) {
  Loop loop{.end = end, .step = step};
  loop.body = llvm::BasicBlock::Create(context_, name, function_);
  loop.exit = llvm::BasicBlock::Create(context_, "", function_);
  llvm::BasicBlock* before = b_.GetInsertBlock();
  if (surely_runs) {
    b_.CreateBr(loop.body);
  } else {
    b_.CreateCondBr(loop_continues(begin, end, step), loop.body, loop.exit);
  }
  b_.SetInsertPoint(loop.body);
  loop.index = b_.CreatePHI(begin->getType(), 2, name);
  loop.index->addIncoming(begin, before);
  return loop;
}

void Control::close_loop(Loop& loop, bool parallel) {
  llvm::Value* next = b_.CreateAdd(loop.index, loop.step, "", false, true);
  loop.index->addIncoming(next, b_.GetInsertBlock());
  llvm::Value* continues =
      loop.last_at ? loop_continues(loop.index, loop.last_at, loop.step) : loop_continues(next, loop.end, loop.step);
  llvm::Instruction* latch = b_.CreateCondBr(continues, loop.body, loop.exit);
  if (parallel) mark_parallel(latch);
  loop.latch = b_.GetInsertBlock();
  b_.SetInsertPoint(loop.exit);
}

/// Asserts that no iteration depends on another through memory, so that the vectoriser needs no run-time checks.
void Control::mark_parallel(llvm::Instruction* branch) {
  llvm::Metadata* accesses[] = {llvm::MDString::get(context_, "llvm.loop.parallel_accesses"), e_.memory.access_group()};
  llvm::SmallVector<llvm::Metadata*, 3> facts{nullptr, llvm::MDNode::get(context_, accesses)};
  // The rows of a block are short: several vectors at once would leave most lanes to the loop over the rest.
  if (lane_axes(kernel_) > 1) {
    llvm::Metadata* count[] = {llvm::MDString::get(context_, "llvm.loop.interleave.count"),
                               llvm::ConstantAsMetadata::get(b_.getInt32(1))};
    facts.push_back(llvm::MDNode::get(context_, count));
  }
  llvm::MDNode* id = llvm::MDNode::getDistinct(context_, facts);
  id->replaceOperandWith(0, id);
  branch->setMetadata(llvm::LLVMContext::MD_loop, id);
}

/// Disables unrolling: the PTX assembler unrolls loops of known length, which takes compile time and is of no use for
/// loops that seldom run.
void Control::keep_rolled(const Loop& loop) {
  llvm::Metadata* disable = llvm::MDNode::get(context_, llvm::MDString::get(context_, "llvm.loop.unroll.disable"));
  llvm::MDNode* own = llvm::MDNode::getDistinct(context_, {nullptr, disable});
  own->replaceOperandWith(0, own);
  loop.latch->getTerminator()->setMetadata(llvm::LLVMContext::MD_loop, own);
}

Carried Control::emit_carrying(llvm::Value* begin, llvm::Value* end, llvm::Value* step, const Carried& first,
                               const std::function<Carried(llvm::Value* index, const Carried& carried)>& body) {
  const auto add_phis = [&](llvm::BasicBlock* from, const Carried& values) {
    Carried phis;
    for (llvm::Value* value : values) {
      llvm::PHINode* phi = b_.CreatePHI(value->getType(), 2);
      phi->addIncoming(value, from);
      phis.push_back(phi);
    }
    return phis;
  };
  const auto add_incoming = [](const Carried& phis, const Carried& values, llvm::BasicBlock* from) {
    for (size_t k = 0; k < phis.size(); ++k) llvm::cast<llvm::PHINode>(phis[k])->addIncoming(values[k], from);
  };
  llvm::BasicBlock* before = b_.GetInsertBlock();
  Loop loop = open_loop(begin, end, step, false, "carry");
  const Carried carried = add_phis(before, first), next = body(loop.index, carried);
  add_incoming(carried, next, b_.GetInsertBlock());
  close_loop(loop, false);
  if (mapping_.fast_compile || w_.in_epilogue) keep_rolled(loop);
  const Carried last = add_phis(before, first);
  add_incoming(last, next, loop.latch);
  return last;
}

}  // namespace tessera::codegen
