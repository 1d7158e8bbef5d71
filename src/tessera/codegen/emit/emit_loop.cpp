// Counted loops in the form that LLVM's passes expect: guarded, tested at the bottom, with one latch.
#include "tessera/codegen/emit/emitter.h"

namespace tessera::codegen {

llvm::Value* Emitter::loop_continues(llvm::Value* index, llvm::Value* end, llvm::Value* step) {
  if (auto* constant = llvm::dyn_cast<llvm::ConstantInt>(step)) {
    if (constant->isZero()) return b_.getFalse();
    return constant->isNegative() ? b_.CreateICmpSGT(index, end) : b_.CreateICmpSLT(index, end);
  }
  if (positive_steps_.contains(step)) return b_.CreateICmpSLT(index, end);
  llvm::Value* zero = number(step->getType(), 0);
  llvm::Value* up = b_.CreateAnd(b_.CreateICmpSGT(step, zero), b_.CreateICmpSLT(index, end));
  llvm::Value* down = b_.CreateAnd(b_.CreateICmpSLT(step, zero), b_.CreateICmpSGT(index, end));
  return b_.CreateOr(up, down);
}

Loop Emitter::open_loop(llvm::Value* begin, llvm::Value* end, llvm::Value* step, bool surely_runs, const char* name) {
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

void Emitter::close_loop(Loop& loop, bool parallel) {
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
void Emitter::mark_parallel(llvm::Instruction* branch) {
  llvm::Metadata* accesses[] = {llvm::MDString::get(context_, "llvm.loop.parallel_accesses"), access_group_};
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

llvm::Value* Emitter::stack_array(llvm::Type* type, llvm::Value* count, const char* name) {
  llvm::IRBuilderBase::InsertPointGuard guard(b_);
  if (uses_heap_) {
    b_.SetInsertPoint(hoist_points_[0]);
    ++heap_arrays_;
    const uint64_t size = module_.getDataLayout().getTypeAllocSize(type);
    llvm::Value* bytes = b_.CreateMul(b_.CreateZExtOrTrunc(count, word_), b_.getInt64(size));
    llvm::FunctionCallee take = module_.getOrInsertFunction(take_memory_symbol, b_.getPtrTy(), word_);
    auto* function = llvm::cast<llvm::Function>(take.getCallee());
    function->addFnAttr(llvm::Attribute::NoUnwind);
    function->addRetAttr(llvm::Attribute::NoAlias);
    llvm::CallInst* memory = b_.CreateCall(take, {bytes}, name);
    memory->addRetAttr(llvm::Attribute::getWithAlignment(context_, llvm::Align(64)));
    return memory;
  }
  if (llvm::isa<llvm::Constant>(count)) {
    llvm::BasicBlock& entry = function_->getEntryBlock();
    b_.SetInsertPoint(&entry, entry.begin());
  } else {
    b_.SetInsertPoint(hoist_points_[0]);
  }
  llvm::AllocaInst* array = b_.CreateAlloca(type, count, name);
  array->setAlignment(
      llvm::Align(llvm::isa<llvm::ConstantInt>(count) && llvm::cast<llvm::ConstantInt>(count)->isOne() ? 8 : 64));
  return array;
}

/// Disables unrolling: the PTX assembler unrolls loops of known length, which takes compile time and is of no use for
/// loops that seldom run.
void Emitter::keep_rolled(const Loop& loop) {
  llvm::Metadata* disable = llvm::MDNode::get(context_, llvm::MDString::get(context_, "llvm.loop.unroll.disable"));
  llvm::MDNode* own = llvm::MDNode::getDistinct(context_, {nullptr, disable});
  own->replaceOperandWith(0, own);
  loop.latch->getTerminator()->setMetadata(llvm::LLVMContext::MD_loop, own);
}

Emitter::Carried Emitter::emit_carrying(
    llvm::Value* begin, llvm::Value* end, llvm::Value* step, const Carried& first,
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
  if (mapping_.fast_compile || in_epilogue_) keep_rolled(loop);
  const Carried last = add_phis(before, first);
  add_incoming(last, next, loop.latch);
  return last;
}

}  // namespace tessera::codegen
