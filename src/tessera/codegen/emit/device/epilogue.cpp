// Epilogue kernels: the last block of a launch to finish runs them.
#include "tessera/base/error.h"
#include "tessera/codegen/device_parameters.h"
#include "tessera/codegen/emit/emitter.h"

namespace tessera::codegen {

/// The kernel as a function of its parameters' address, for the threads of that one block.
llvm::Function* Grid::emit_epilogue() {
  w_.in_epilogue = true;
  auto* type = llvm::FunctionType::get(b_.getVoidTy(), {b_.getPtrTy()}, false);
  llvm::Function* function = llvm::Function::Create(type, llvm::GlobalValue::InternalLinkage, "following", module_);
  function->addFnAttr(llvm::Attribute::Convergent);
  function->addFnAttr(llvm::Attribute::AlwaysInline);
  e_.frame.open_function(function);
  emit_body();
  b_.CreateRetVoid();
  return function;
}

/// Each block draws a ticket once its lanes are stored; the block with the last ticket sees the stores of all blocks.
void Grid::emit_last_block(const EpilogueKernels& epilogue) {
  invariant(mapping_.team > 32 && DeviceParameters(kernel_).by_value(),
            "codegen: a kernel that follows one without teams of its own");
  const DeviceParameters parameters(kernel_);
  const auto at = [&](int64_t offset) {
    return b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), function_->getArg(0), offset);
  };
  const auto fence = [&] { device::fence(b_, ir::FenceScope::device); };
  const auto block = [&](const char* name) { return llvm::BasicBlock::Create(context_, name, function_); };
  llvm::BasicBlock *arrive = block("arrive"), *meet = block("meet"), *last = block("last"), *done = block("done");
  llvm::Value* ticket = b_.CreateLoad(e_.frame.data_pointer(), at(parameters.ticket()));
  llvm::Value* blocks =
      b_.CreateMul(e_.frame.special_register(GridNumber::blocks_x), e_.frame.special_register(GridNumber::blocks_y));
  llvm::Value* is_first = b_.CreateICmpEQ(e_.frame.special_register(GridNumber::thread_x), b_.getInt64(0));
  // The first thread of a team has stored its lanes, so it draws the ticket.
  llvm::BasicBlock* before = b_.GetInsertBlock();
  b_.CreateCondBr(is_first, arrive, meet);
  b_.SetInsertPoint(arrive);
  fence();
  llvm::Value* number = b_.CreateAtomicRMW(llvm::AtomicRMWInst::Add, ticket, b_.getInt32(1), llvm::MaybeAlign(4),
                                           llvm::AtomicOrdering::Monotonic);
  llvm::Value* is_last = b_.CreateICmpEQ(b_.CreateZExt(number, word_), b_.CreateSub(blocks, b_.getInt64(1)));
  b_.CreateBr(meet);

  b_.SetInsertPoint(meet);
  llvm::PHINode* found = b_.CreatePHI(b_.getInt1Ty(), 2);
  found->addIncoming(b_.getFalse(), before);
  found->addIncoming(is_last, arrive);
  b_.CreateCondBr(e_.teams.in_any_thread(found), last, done);

  b_.SetInsertPoint(last);
  fence();
  int64_t place = parameters.epilogue();
  for (const auto& kernel : epilogue.kernels) {
    Emitter emitter(*kernel, module_, math_, machine_);
    emitter.writing.mapping = {.capability = mapping_.capability, .team = mapping_.team};
    b_.CreateCall(emitter.grid.emit_epilogue(), {at(place)});
    place += DeviceParameters(*kernel).size;
    e_.meetings.emit_barrier();  // makes the leader's stores visible to the next kernel
  }
  w_.leader = is_first;
  e_.teams.emit_by_leader([&] { b_.CreateAlignedStore(b_.getInt32(0), ticket, llvm::Align(4)); });
  b_.CreateBr(done);
  b_.SetInsertPoint(done);
}

}  // namespace tessera::codegen
