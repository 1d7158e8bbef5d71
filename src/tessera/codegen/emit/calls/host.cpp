// Calls of functions of the host.
#include "tessera/base/error.h"
#include "tessera/codegen/emit/calls/arena.h"
#include "tessera/codegen/emit/calls/twister.h"
#include "tessera/codegen/emit/emitter.h"
#include "tessera/ir/checks.h"
#include "tessera/ir/new_memory.h"

namespace tessera::codegen {

using ir::Value;

void Calls::emit_host_call(Value v) {
  require<NotImplementedError>(machine_.kind != Machine::Kind::device, "codegen: a device cannot call the host");
  if (kernel_.instructions[v].imm == ir::next_random) {
    const std::span<const Value> source = kernel_.operands(v);
    auto* type = llvm::FunctionType::get(b_.getDoubleTy(), {b_.getPtrTy()}, false);
    llvm::CallInst* number = b_.CreateCall(type, b_.CreateIntToPtr(get_one(source[0]), b_.getPtrTy()),
                                           {b_.CreateIntToPtr(get_one(source[1]), b_.getPtrTy())});
    number->addFnAttr(llvm::Attribute::NoUnwind);
    return set(v, {b_.CreateBitCast(number, word_)});
  }
  const auto call = [&] { return call_host(kernel_.instructions[v].imm, kernel_.operands(v)); };
  if (kernel_.ndim == 0) {  // a kernel's calls have other numbers
    std::vector<llvm::Value*> words;
    for (const Value operand : kernel_.operands(v)) words.push_back(e_.memory.as_word(operand));
    for (const auto& emit : {emit_arena_call, emit_twister_draw})
      if (llvm::Value* given = emit(b_, function_, kernel_.instructions[v].imm, words, call)) return set(v, {given});
  }
  if (!e_.access_checks.has_quick_check(v)) {
    set(v, {call()});
    constexpr int axes_of_a_launch = 6;
    if (kernel_.ndim != axes_of_a_launch || ir::check_of(kernel_.instructions[v].imm) != ir::CheckCall::failed) return;
    b_.CreateUnreachable();
    return b_.SetInsertPoint(llvm::BasicBlock::Create(context_, "", function_));
  }
  e_.access_checks.emit_quick_check(v, [&] { call(); });
  set(v, {llvm::ConstantInt::get(word_, 0)});
}

llvm::Value* Calls::call_host(uint32_t number, std::span<const Value> operands) {
  llvm::Value* words = e_.frame.stack_array(word_, b_.getInt64(std::max<size_t>(1, operands.size())), "operands");
  for (size_t k = 0; k < operands.size(); ++k)
    b_.CreateStore(e_.memory.as_word(operands[k]), b_.CreateConstInBoundsGEP1_64(word_, words, k));
  const auto field = [&](int which, const char* name) {
    return b_.CreateLoad(b_.getPtrTy(), b_.CreateConstInBoundsGEP1_64(word_, function_->getArg(0), which), name);
  };
  auto* type = llvm::FunctionType::get(word_, {b_.getPtrTy(), b_.getInt32Ty(), b_.getPtrTy()}, false);
  llvm::Value* host = field(field_host, "host");
  llvm::CallInst* answer =
      b_.CreateCall(type, host, {field(field_host_context, "context"), b_.getInt32(number), words});
  answer->addFnAttr(llvm::Attribute::NoUnwind);
  return answer;
}

}  // namespace tessera::codegen
