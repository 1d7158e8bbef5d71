// float16 and bfloat16: hardware conversions where they exist, else integer arithmetic with the same results.
#include "tessera/codegen/emit/primitives/primitives.h"

namespace tessera::codegen {

namespace {

llvm::Value* bits_of(Builder& b, llvm::Value* x) {
  return b.CreateBitCast(x, b.getIntNTy(x->getType()->getScalarSizeInBits()));
}

/// (x < y as unsigned) ? a : c
llvm::Value* below(Builder& b, llvm::Value* x, uint32_t y, llvm::Value* a, llvm::Value* c) {
  return b.CreateSelect(b.CreateICmpULT(x, b.getInt32(y)), a, c);
}

}  // namespace

llvm::Value* half_to_float(Builder& b, llvm::Value* bits, const Machine& machine) {
  if (machine.has_half_conversion()) return b.CreateFPExt(b.CreateBitCast(bits, b.getHalfTy()), b.getFloatTy());
  llvm::Value* wide = b.CreateZExt(bits, b.getInt32Ty());
  llvm::Value* sign = b.CreateShl(b.CreateAnd(wide, 0x8000), 16);
  llvm::Value* rest = b.CreateAnd(wide, 0x7fff);
  llvm::Value* moved = b.CreateShl(rest, 13);
  llvm::Value* normal = b.CreateAdd(moved, b.getInt32(112u << 23));
  // A subnormal is its bits times 2^-24, which float32 holds exactly.
  llvm::Value* tiny = bits_of(b, b.CreateFMul(b.CreateSIToFP(rest, b.getFloatTy()), number(b.getFloatTy(), 0x1p-24)));
  llvm::Value* special = b.CreateOr(moved, b.getInt32(0x7f800000));
  llvm::Value* finite = below(b, rest, 0x0400, tiny, normal);
  llvm::Value* value = below(b, rest, 0x7c00, finite, special);
  return b.CreateBitCast(b.CreateOr(value, sign), b.getFloatTy());
}

llvm::Value* float_to_half(Builder& b, llvm::Value* x, const Machine& machine) {
  if (machine.has_half_conversion()) return b.CreateBitCast(b.CreateFPTrunc(x, b.getHalfTy()), b.getInt16Ty());
  llvm::Value* bits = bits_of(b, x);
  llvm::Value* sign = b.CreateAnd(b.CreateLShr(bits, 16), 0x8000);
  llvm::Value* rest = b.CreateAnd(bits, 0x7fffffff);
  // Normal results: round the 13 dropped bits to nearest even.
  llvm::Value* odd = b.CreateAnd(b.CreateLShr(rest, 13), 1);
  llvm::Value* rounded =
      b.CreateLShr(b.CreateAdd(b.CreateSub(rest, b.getInt32(112u << 23)), b.CreateAdd(odd, b.getInt32(0xfff))), 13);
  // Subnormal results: adding 0.5 leaves the rounded multiple of 2^-24 in the low bits.
  llvm::Value* lifted = bits_of(b, b.CreateFAdd(b.CreateBitCast(rest, b.getFloatTy()), number(b.getFloatTy(), 0.5)));
  llvm::Value* tiny = b.CreateSub(lifted, b.getInt32(0x3f000000));
  llvm::Value* nan = b.CreateOr(b.CreateAnd(b.CreateLShr(rest, 13), 0x3ff), b.getInt32(0x7e00));
  llvm::Value* value = below(b, rest, 0x38800000, tiny, rounded);
  value = below(b, rest, 0x477ff000, value, b.getInt32(0x7c00));
  value = below(b, rest, 0x7f800001, value, nan);
  return b.CreateTrunc(b.CreateOr(value, sign), b.getInt16Ty());
}

llvm::Value* double_to_half(Builder& b, llvm::Value* x, const Machine& machine) {
  if (machine.kind == Machine::Kind::device) return b.CreateBitCast(b.CreateFPTrunc(x, b.getHalfTy()), b.getInt16Ty());
  // Rounding to odd on the way through float32 keeps the second rounding right.
  llvm::Value* near = b.CreateFPTrunc(x, b.getFloatTy());
  llvm::Value* back = b.CreateFPExt(near, b.getDoubleTy());
  llvm::Value* inexact = b.CreateFCmpONE(back, x);
  llvm::Value* too_large = b.CreateFCmpOGT(emit_fabs(b, back), emit_fabs(b, x));
  llvm::Value* bits = b.CreateSub(bits_of(b, near), b.CreateZExt(too_large, b.getInt32Ty()));
  bits = b.CreateOr(bits, b.CreateZExt(inexact, b.getInt32Ty()));
  return float_to_half(b, b.CreateBitCast(bits, b.getFloatTy()), machine);
}

llvm::Value* bfloat16_to_float(Builder& b, llvm::Value* bits) {
  return b.CreateBitCast(b.CreateShl(b.CreateZExt(bits, b.getInt32Ty()), 16), b.getFloatTy());
}

llvm::Value* float_to_bfloat16(Builder& b, llvm::Value* x) {
  llvm::Value* bits = bits_of(b, x);
  llvm::Value* odd = b.CreateAnd(b.CreateLShr(bits, 16), 1);
  llvm::Value* rounded = b.CreateLShr(b.CreateAdd(bits, b.CreateAdd(odd, b.getInt32(0x7fff))), 16);
  llvm::Value* nan = b.CreateOr(b.CreateLShr(bits, 16), b.getInt32(0x40));
  return b.CreateTrunc(b.CreateSelect(b.CreateFCmpUNO(x, x), nan, rounded), b.getInt16Ty());
}

}  // namespace tessera::codegen
