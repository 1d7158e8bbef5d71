#include "tessera/codegen/emit/calls/twister.h"

#include <llvm/IR/MDBuilder.h>

#include "tessera/ir/new_memory.h"

namespace tessera::codegen {

namespace {

/// The word at a place, as the twister's authors temper it (Matsumoto and Nishimura, 1998).
llvm::Value* tempered(llvm::IRBuilderBase& b, llvm::Value* words, llvm::Value* place) {
  llvm::Value* y = b.CreateLoad(b.getInt32Ty(), b.CreateInBoundsGEP(b.getInt32Ty(), words, place), "word");
  y = b.CreateXor(y, b.CreateLShr(y, 11));
  y = b.CreateXor(y, b.CreateAnd(b.CreateShl(y, 7), b.getInt32(0x9d2c5680)));
  y = b.CreateXor(y, b.CreateAnd(b.CreateShl(y, 15), b.getInt32(0xefc60000)));
  return b.CreateXor(y, b.CreateLShr(y, 18));
}

/// 53 bits of two words as a number from 0 to 1: its bits.
llvm::Value* number_of(llvm::IRBuilderBase& b, llvm::Value* first, llvm::Value* second) {
  llvm::Value* high = b.CreateShl(b.CreateZExt(b.CreateLShr(first, 5), b.getInt64Ty()), 26);
  llvm::Value* low = b.CreateZExt(b.CreateLShr(second, 6), b.getInt64Ty());
  llvm::Value* whole = b.CreateSIToFP(b.CreateOr(high, low), b.getDoubleTy());
  return b.CreateBitCast(b.CreateFMul(whole, llvm::ConstantFP::get(b.getDoubleTy(), 0x1p-53)), b.getInt64Ty());
}

}  // namespace

llvm::Value* emit_twister_draw(llvm::IRBuilderBase& b, llvm::Function* function, uint32_t number,
                               std::span<llvm::Value* const> words, const std::function<llvm::Value*()>& ask) {
  if (number != ir::twister_number && number != ir::twister_word) return nullptr;
  const unsigned taken = number == ir::twister_number ? 2 : 1;
  llvm::Value* from = b.CreateIntToPtr(words[0], b.getPtrTy());
  llvm::Value* at = b.CreateIntToPtr(words[1], b.getPtrTy());
  llvm::Value* place = b.CreateLoad(b.getInt32Ty(), at, "place");
  const auto block = [&](const char* name) { return llvm::BasicBlock::Create(b.getContext(), name, function); };
  llvm::BasicBlock *take = block("draw"), *call = block("refill"), *done = block("drawn");
  llvm::Value* is_there = b.CreateICmpULE(place, b.getInt32(ir::twister_words - taken));
  b.CreateCondBr(is_there, take, call, llvm::MDBuilder(b.getContext()).createBranchWeights(ir::twister_words, 1));
  b.SetInsertPoint(take);
  llvm::Value* word = tempered(b, from, b.CreateZExt(place, b.getInt64Ty()));
  llvm::Value* drawn = nullptr;
  if (taken == 2)
    drawn = number_of(b, word, tempered(b, from, b.CreateZExt(b.CreateAdd(place, b.getInt32(1)), b.getInt64Ty())));
  else
    drawn = b.CreateZExt(word, b.getInt64Ty());
  b.CreateStore(b.CreateAdd(place, b.getInt32(taken)), at);
  b.CreateBr(done);
  b.SetInsertPoint(call);
  llvm::Value* given = ask();
  b.CreateBr(done);
  llvm::BasicBlock* from_call = b.GetInsertBlock();
  b.SetInsertPoint(done);
  llvm::PHINode* result = b.CreatePHI(b.getInt64Ty(), 2, "drawn");
  result->addIncoming(drawn, take);
  result->addIncoming(given, from_call);
  return result;
}

}  // namespace tessera::codegen
