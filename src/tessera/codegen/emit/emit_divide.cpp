// Divisions of doubles on a device without branches: the machine's own take one each, behind which no load of another lane
// is issued, and its slow side for numerators of 0. What these few instructions cannot divide is noticed, and the thread's
// lanes are then computed again by the machine's division.
#include "tessera/codegen/emit/emitter.h"

#include <llvm/IR/IntrinsicsNVPTX.h>

namespace tessera::codegen {

using ir::Opcode;
using ir::Value;

bool Emitter::is_quick_division(Value v) const {
  const ir::Instruction& i = kernel_.instructions[v];
  return i.op == Opcode::div && i.type == DType::float64 && dependence_.varies(v);
}

void Emitter::open_quick_divisions() {
  if (!may_divide_quickly_) return;
  too_hard_ = stack_array(b_.getInt1Ty(), b_.getInt64(1), "too_hard");
  b_.CreateStore(b_.getFalse(), too_hard_);
}

/// Newton's steps from the machine's approximation give the reciprocal y of b correctly rounded, and a * y corrected by its
/// exact remainder the quotient, as the assembler's own expansion does it; the bounds are its own, too. A reciprocal that
/// several lanes share is computed once. The remainder of 0 would lose the sign of -0.
llvm::Value* Emitter::emit_quick_division(llvm::Value* a, llvm::Value* b) {
  const auto fma = [&](llvm::Value* x, llvm::Value* y, llvm::Value* z) {
    return b_.CreateIntrinsic(llvm::Intrinsic::fma, {x->getType()}, {x, y, z});
  };
  // The upper half of a double as a float: its magnitude orders as the double's does.
  const auto upper = [&](llvm::Value* x) {
    llvm::Value* half = b_.CreateTrunc(b_.CreateLShr(b_.CreateBitCast(x, word_), 32), b_.getInt32Ty());
    return b_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, b_.CreateBitCast(half, b_.getFloatTy()));
  };
  const auto bound = [&](uint32_t bits) { return b_.CreateBitCast(b_.getInt32(bits), b_.getFloatTy()); };
  constexpr uint32_t least_numerator = 0x03600000, least_normal = 0x00100000, infinity = 0x7f800000;
  llvm::Value* one = number(a->getType(), 1);
  llvm::Value* negative = b_.CreateFNeg(b);
  llvm::Value* guess = b_.CreateIntrinsic(llvm::Intrinsic::nvvm_rcp_approx_ftz_d, {}, {b});
  guess = b_.CreateBitCast(b_.CreateOr(b_.CreateBitCast(guess, word_), 1), a->getType());
  llvm::Value* error = fma(guess, negative, one);
  llvm::Value* y = fma(guess, fma(error, error, error), guess);
  y = fma(y, fma(y, negative, one), y);
  llvm::Value* divides = b_.CreateAnd(b_.CreateFCmpOGE(upper(b), bound(least_normal)), b_.CreateFCmpOLT(upper(b), bound(infinity)));
  llvm::Value* product = b_.CreateFMul(a, y);
  llvm::Value* quotient = fma(y, fma(product, negative, a), product);
  llvm::Value* is_zero = b_.CreateFCmpOEQ(a, number(a->getType(), 0));
  llvm::Value* is_normal = b_.CreateAnd(b_.CreateFCmpUGE(upper(a), bound(least_numerator)), b_.CreateFCmpOGT(upper(quotient), bound(least_normal)));
  llvm::Value* is_right = b_.CreateAnd(divides, b_.CreateOr(is_zero, is_normal));
  llvm::Value* before = b_.CreateLoad(b_.getInt1Ty(), too_hard_);
  b_.CreateStore(b_.CreateOr(before, b_.CreateNot(is_right)), too_hard_);
  return b_.CreateSelect(is_zero, product, quotient);
}

/// Ends the quick divisions of these lanes: where one was too hard they are computed and stored one after the other, and the
/// rest is left out up to the returned block. Null when there was none. The lanes' numbers come by way of a zero that no
/// compiler knows, as in close_device_watch().
llvm::BasicBlock* Emitter::close_quick_divisions(const Copies& copies) {
  if (!too_hard_) return nullptr;
  llvm::Value* too_hard = b_.CreateLoad(b_.getInt1Ty(), too_hard_);
  too_hard_ = nullptr;
  llvm::BasicBlock* again = llvm::BasicBlock::Create(context_, "again", function_);
  llvm::BasicBlock* right = llvm::BasicBlock::Create(context_, "right", function_);
  llvm::BasicBlock* done = llvm::BasicBlock::Create(context_, "", function_);
  b_.CreateCondBr(too_hard, again, right);
  b_.SetInsertPoint(again);
  const Watch watch = watch_;
  const bool is_watching = is_watching_;
  may_divide_quickly_ = false;
  Copies slowly = copies;
  slowly.first = b_.CreateAdd(copies.first, device_zero());
  if (copies.count == 1) {
    emit_copies({.first = lane_of(slowly, b_.getInt64(0)), .spacing = b_.getInt64(0)});
  } else {
    Loop copy = open_loop(b_.getInt64(0), b_.getInt64(static_cast<uint64_t>(copies.count)), b_.getInt64(1), true, "slowly");
    emit_copies({.first = lane_of(slowly, copy.index), .spacing = b_.getInt64(0)});
    close_loop(copy, false);
  }
  may_divide_quickly_ = true;
  watch_ = watch;
  is_watching_ = is_watching;
  b_.CreateBr(done);
  b_.SetInsertPoint(right);
  return done;
}

}  // namespace tessera::codegen
