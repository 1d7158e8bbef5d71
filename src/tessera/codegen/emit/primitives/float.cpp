// Floating-point opcodes that take a few instructions; the others call the math library and are inlined later.
#include "tessera/base/error.h"
#include "tessera/codegen/emit/primitives/primitives.h"

namespace tessera::codegen {

using ir::Opcode;
using llvm::Intrinsic::ID;

namespace {

llvm::Value* call(Builder& b, ID id, llvm::Value* x) { return b.CreateUnaryIntrinsic(id, x); }
llvm::Value* call(Builder& b, ID id, llvm::Value* x, llvm::Value* y) { return b.CreateBinaryIntrinsic(id, x, y); }

bool was_half(llvm::Value* x) {
  const auto* extension = llvm::dyn_cast<llvm::FPExtInst>(x);
  return extension && extension->getSrcTy()->getScalarType()->isHalfTy();
}

bool was_integer(llvm::Value* x) { return llvm::isa<llvm::SIToFPInst, llvm::UIToFPInst>(x); }

/// NaN where an operand is; -0 is less than 0. The intrinsic is not used for operands extended from halves or converted
/// from integers: LLVM 19 narrows it to halves, and its expansion of that gives 0 for 0 and NaN; for an integer (which
/// is never NaN) and a signalling NaN it gives the integer.
llvm::Value* extreme(Builder& b, ID id, llvm::Value* x, llvm::Value* y) {
  const auto is_safe = [](llvm::Value* v) { return !was_half(v) && !was_integer(v); };
  if (is_safe(x) && is_safe(y)) return call(b, id, x, y);
  const bool largest = id == llvm::Intrinsic::maximum;
  llvm::Type* bits = b.getIntNTy(x->getType()->getScalarSizeInBits());
  llvm::Value* x_bits = b.CreateBitCast(x, bits);
  llvm::Value* y_bits = b.CreateBitCast(y, bits);
  llvm::Value* same = largest ? b.CreateAnd(x_bits, y_bits) : b.CreateOr(x_bits, y_bits);
  llvm::Value* unequal = b.CreateSelect(largest ? b.CreateFCmpOGT(x, y) : b.CreateFCmpOLT(x, y), x, y);
  llvm::Value* ordered = b.CreateSelect(b.CreateFCmpOEQ(x, y), b.CreateBitCast(same, x->getType()), unequal);
  return b.CreateSelect(b.CreateFCmpUNO(x, y), b.CreateFAdd(x, y), ordered);
}

/// fmin and fmax: the other operand when one is NaN.
llvm::Value* ignore_nan(Builder& b, ID id, llvm::Value* x, llvm::Value* y) {
  llvm::Value* both = extreme(b, id, x, y);
  llvm::Value* without_y = b.CreateSelect(b.CreateFCmpUNO(y, y), x, both);
  return b.CreateSelect(b.CreateFCmpUNO(x, x), y, without_y);
}

llvm::Value* emit_sign(Builder& b, llvm::Value* x) {
  llvm::Type* type = x->getType();
  llvm::Value* negative = b.CreateSelect(b.CreateFCmpOLT(x, number(type, 0)), number(type, -1), number(type, 0));
  llvm::Value* sign = b.CreateSelect(b.CreateFCmpOGT(x, number(type, 0)), number(type, 1), negative);
  return b.CreateSelect(b.CreateFCmpUNO(x, x), x, sign);
}

llvm::Value* emit_sign_bit(Builder& b, llvm::Value* x) {
  llvm::Value* bits = b.CreateBitCast(x, b.getIntNTy(x->getType()->getScalarSizeInBits()));
  return b.CreateICmpSLT(bits, number(bits->getType(), 0));
}

}  // namespace

llvm::Value* emit_fabs(Builder& b, llvm::Value* x) {
  if (auto* constant = llvm::dyn_cast<llvm::ConstantFP>(x))
    return llvm::ConstantFP::get(x->getType(), abs(constant->getValueAPF()));
  return call(b, llvm::Intrinsic::fabs, x);
}

llvm::Value* is_infinite(Builder& b, llvm::Value* x) {
  return b.CreateFCmpOEQ(emit_fabs(b, x), llvm::ConstantFP::getInfinity(x->getType()));
}

llvm::Value* is_finite(Builder& b, llvm::Value* x) {
  return b.CreateFCmpOLT(emit_fabs(b, x), llvm::ConstantFP::getInfinity(x->getType()));
}

llvm::Value* emit_float_primitive(Builder& b, Opcode op, Operands v) {
  switch (op) {
    case Opcode::add: return b.CreateFAdd(v[0], v[1]);
    case Opcode::sub: return b.CreateFSub(v[0], v[1]);
    case Opcode::mul: return b.CreateFMul(v[0], v[1]);
    case Opcode::div: return b.CreateFDiv(v[0], v[1]);
    case Opcode::min: return extreme(b, llvm::Intrinsic::minimum, v[0], v[1]);
    case Opcode::max: return extreme(b, llvm::Intrinsic::maximum, v[0], v[1]);
    case Opcode::min_num: return ignore_nan(b, llvm::Intrinsic::minimum, v[0], v[1]);
    case Opcode::max_num: return ignore_nan(b, llvm::Intrinsic::maximum, v[0], v[1]);
    case Opcode::copysign: return call(b, llvm::Intrinsic::copysign, v[0], v[1]);
    case Opcode::fma: return b.CreateIntrinsic(llvm::Intrinsic::fma, {v[0]->getType()}, {v[0], v[1], v[2]});
    case Opcode::neg: return b.CreateFNeg(v[0]);
    case Opcode::abs: return emit_fabs(b, v[0]);
    case Opcode::sign: return emit_sign(b, v[0]);
    case Opcode::sqrt: return call(b, llvm::Intrinsic::sqrt, v[0]);
    case Opcode::floor: return call(b, llvm::Intrinsic::floor, v[0]);
    case Opcode::ceil: return call(b, llvm::Intrinsic::ceil, v[0]);
    case Opcode::trunc: return call(b, llvm::Intrinsic::trunc, v[0]);
    case Opcode::rint: return call(b, llvm::Intrinsic::rint, v[0]);
    case Opcode::is_nan: return b.CreateFCmpUNO(v[0], v[0]);
    case Opcode::is_inf: return is_infinite(b, v[0]);
    case Opcode::is_finite: return is_finite(b, v[0]);
    case Opcode::sign_bit: return emit_sign_bit(b, v[0]);
    default: return nullptr;
  }
}

}  // namespace tessera::codegen
