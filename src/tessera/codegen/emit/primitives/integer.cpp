// Integer and boolean opcodes: wrapping, with division and shifts defined for every operand.
#include "tessera/base/error.h"
#include "tessera/codegen/emit/primitives/primitives.h"

namespace tessera::codegen {

using ir::Opcode;

namespace {

llvm::Constant* smallest(llvm::Type* type) {
  return llvm::ConstantInt::get(type, llvm::APInt::getSignedMinValue(type->getScalarSizeInBits()));
}

/// Quotient and remainder, with the operands replaced for which the hardware would trap: x / 0 is 0, MIN / -1 is MIN.
struct Division {
  llvm::Value* quotient;
  llvm::Value* remainder;
};

Division divide(Builder& b, DType dtype, llvm::Value* x, llvm::Value* y) {
  llvm::Type* type = x->getType();
  const bool is_signed = is_signed_integer(dtype);
  llvm::Value* by_zero = b.CreateICmpEQ(y, number(type, 0));
  llvm::Value* unsafe = by_zero;
  if (is_signed)
    unsafe = b.CreateOr(unsafe, b.CreateAnd(b.CreateICmpEQ(x, smallest(type)), b.CreateICmpEQ(y, number(type, -1))));
  llvm::Value* divisor = b.CreateSelect(unsafe, number(type, 1), y);
  llvm::Value* quotient = is_signed ? b.CreateSDiv(x, divisor) : b.CreateUDiv(x, divisor);
  // With a divisor of 1 the remainder is 0, which is the result for both unsafe cases.
  llvm::Value* remainder = b.CreateSub(x, b.CreateMul(quotient, divisor));
  return {b.CreateSelect(by_zero, number(type, 0), quotient), remainder};
}

/// Whether truncation and flooring differ: the remainder's sign is not the divisor's.
llvm::Value* rounds_down(Builder& b, const Division& d, llvm::Value* y) {
  llvm::Value* zero = number(y->getType(), 0);
  return b.CreateAnd(b.CreateICmpNE(d.remainder, zero), b.CreateICmpSLT(b.CreateXor(d.remainder, y), zero));
}

llvm::Value* emit_division(Builder& b, Opcode op, DType dtype, llvm::Value* x, llvm::Value* y) {
  const Division d = divide(b, dtype, x, y);
  if (op == Opcode::div) return d.quotient;
  if (op == Opcode::rem) return d.remainder;
  llvm::Type* type = x->getType();
  if (op == Opcode::floor_div) {
    if (!is_signed_integer(dtype)) return d.quotient;
    return b.CreateSub(d.quotient, b.CreateZExt(rounds_down(b, d, y), type));
  }
  if (!is_signed_integer(dtype)) return d.remainder;
  return b.CreateAdd(d.remainder, b.CreateSelect(rounds_down(b, d, y), y, number(type, 0)));
}

llvm::Value* emit_shift(Builder& b, Opcode op, DType dtype, llvm::Value* x, llvm::Value* count) {
  llvm::Type* type = x->getType();
  const unsigned width = type->getScalarSizeInBits();
  llvm::Value* inside = b.CreateICmpULT(count, llvm::ConstantInt::get(type, width));
  if (op == Opcode::shift_right && is_signed_integer(dtype)) {
    return b.CreateAShr(x, b.CreateSelect(inside, count, llvm::ConstantInt::get(type, width - 1)));
  }
  llvm::Value* safe = b.CreateSelect(inside, count, number(type, 0));
  llvm::Value* shifted = op == Opcode::shift_left ? b.CreateShl(x, safe) : b.CreateLShr(x, safe);
  return b.CreateSelect(inside, shifted, number(type, 0));
}

llvm::Value* emit_sign(Builder& b, DType dtype, llvm::Value* x) {
  llvm::Type* type = x->getType();
  llvm::Value* nonzero = b.CreateZExt(b.CreateICmpNE(x, number(type, 0)), type);
  return is_signed_integer(dtype) ? b.CreateSelect(b.CreateICmpSLT(x, number(type, 0)), number(type, -1), nonzero)
                                  : nonzero;
}

llvm::Intrinsic::ID extremum(Opcode op, DType dtype) {
  const bool is_min = op == Opcode::min || op == Opcode::min_num;
  if (is_signed_integer(dtype)) return is_min ? llvm::Intrinsic::smin : llvm::Intrinsic::smax;
  return is_min ? llvm::Intrinsic::umin : llvm::Intrinsic::umax;
}

}  // namespace

llvm::Value* emit_integer_primitive(Builder& b, Opcode op, DType dtype, Operands v, llvm::Module& module) {
  switch (op) {
    case Opcode::add: return b.CreateAdd(v[0], v[1]);
    case Opcode::sub: return b.CreateSub(v[0], v[1]);
    case Opcode::mul: return b.CreateMul(v[0], v[1]);
    case Opcode::div:
    case Opcode::floor_div:
    case Opcode::rem:
    case Opcode::floor_mod: return emit_division(b, op, dtype, v[0], v[1]);
    case Opcode::pow:
    case Opcode::gcd:
    case Opcode::lcm: return b.CreateCall(integer_function(op, dtype, module), {v[0], v[1]});
    case Opcode::min:
    case Opcode::max:
    case Opcode::min_num:
    case Opcode::max_num: return b.CreateBinaryIntrinsic(extremum(op, dtype), v[0], v[1]);
    case Opcode::bit_and: return b.CreateAnd(v[0], v[1]);
    case Opcode::bit_or: return b.CreateOr(v[0], v[1]);
    case Opcode::bit_xor: return b.CreateXor(v[0], v[1]);
    case Opcode::shift_left:
    case Opcode::shift_right: return emit_shift(b, op, dtype, v[0], v[1]);
    case Opcode::fma: return b.CreateAdd(b.CreateMul(v[0], v[1]), v[2]);
    case Opcode::neg: return b.CreateNeg(v[0]);
    case Opcode::abs:
      if (!is_signed_integer(dtype)) return v[0];
      return b.CreateSelect(b.CreateICmpSLT(v[0], number(v[0]->getType(), 0)), b.CreateNeg(v[0]), v[0]);
    case Opcode::sign: return emit_sign(b, dtype, v[0]);
    case Opcode::bit_not: return b.CreateNot(v[0]);
    case Opcode::popcount:
      return b.CreateZExtOrTrunc(b.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, v[0]), b.getInt8Ty());
    case Opcode::leading_zeros:
      return b.CreateZExtOrTrunc(b.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, v[0], b.getFalse()), b.getInt8Ty());
    case Opcode::reverse_bits: return b.CreateUnaryIntrinsic(llvm::Intrinsic::bitreverse, v[0]);
    case Opcode::mul_high: {
      llvm::Type* type = v[0]->getType();
      const unsigned bits = type->getScalarSizeInBits();
      const auto widened = [&](llvm::Value* x) {
        llvm::Type* wide = b.getIntNTy(2 * bits);
        return is_signed_integer(dtype) ? b.CreateSExt(x, wide) : b.CreateZExt(x, wide);
      };
      return b.CreateTrunc(b.CreateLShr(b.CreateMul(widened(v[0]), widened(v[1])), bits), type);
    }
    case Opcode::floor:
    case Opcode::ceil:
    case Opcode::trunc:
    case Opcode::rint: return v[0];
    case Opcode::is_nan:
    case Opcode::is_inf: return b.getFalse();
    case Opcode::is_finite: return b.getTrue();
    case Opcode::sign_bit:
      return is_signed_integer(dtype) ? b.CreateICmpSLT(v[0], number(v[0]->getType(), 0)) : b.getFalse();
    default: return nullptr;
  }
}

llvm::Value* emit_boolean_primitive(Builder& b, Opcode op, Operands v) {
  switch (op) {
    case Opcode::add:
    case Opcode::bit_or:
    case Opcode::max:
    case Opcode::max_num: return b.CreateOr(v[0], v[1]);
    case Opcode::mul:
    case Opcode::bit_and:
    case Opcode::min:
    case Opcode::min_num: return b.CreateAnd(v[0], v[1]);
    case Opcode::bit_xor: return b.CreateXor(v[0], v[1]);
    case Opcode::bit_not: return b.CreateNot(v[0]);
    case Opcode::abs:
    case Opcode::sign: return v[0];
    case Opcode::popcount: return b.CreateZExt(v[0], b.getInt8Ty());
    case Opcode::is_nan:
    case Opcode::is_inf:
    case Opcode::sign_bit: return b.getFalse();
    case Opcode::is_finite: return b.getTrue();
    default: return nullptr;
  }
}

llvm::Value* emit_comparison(Builder& b, Opcode op, DType dtype, llvm::Value* x, llvm::Value* y) {
  using P = llvm::CmpInst;
  const int row = is_floating(dtype) ? 0 : is_signed_integer(dtype) ? 1 : 2;
  switch (op) {
    case Opcode::eq: return row == 0 ? b.CreateFCmpOEQ(x, y) : b.CreateICmpEQ(x, y);
    case Opcode::ne: return row == 0 ? b.CreateFCmpUNE(x, y) : b.CreateICmpNE(x, y);
    case Opcode::lt: {
      constexpr P::Predicate predicates[] = {P::FCMP_OLT, P::ICMP_SLT, P::ICMP_ULT};
      return b.CreateCmp(predicates[row], x, y);
    }
    case Opcode::le: {
      constexpr P::Predicate predicates[] = {P::FCMP_OLE, P::ICMP_SLE, P::ICMP_ULE};
      return b.CreateCmp(predicates[row], x, y);
    }
    case Opcode::gt: {
      constexpr P::Predicate predicates[] = {P::FCMP_OGT, P::ICMP_SGT, P::ICMP_UGT};
      return b.CreateCmp(predicates[row], x, y);
    }
    case Opcode::ge: {
      constexpr P::Predicate predicates[] = {P::FCMP_OGE, P::ICMP_SGE, P::ICMP_UGE};
      return b.CreateCmp(predicates[row], x, y);
    }
    default: return nullptr;
  }
}

}  // namespace tessera::codegen
