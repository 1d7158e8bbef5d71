// Conversions between dtypes; values out of range convert as on x86, without branches.
#include "tessera/base/error.h"
#include "tessera/codegen/emit/primitives/primitives.h"

namespace tessera::codegen {

namespace {

/// Truncation to a signed integer of the given width, MIN where the value does not fit.
llvm::Value* truncate(Builder& b, llvm::Value* x, unsigned bits) {
  llvm::Type* type = b.getIntNTy(bits);
  const double limit = bits == 32 ? 0x1p31 : 0x1p63;
  // -2^31 - 1 < x is exact in float64; a float32 or a 64-bit limit has no value between the two.
  llvm::Value* above = bits == 32 && x->getType()->isDoubleTy() ? b.CreateFCmpOGT(x, number(x->getType(), -limit - 1))
                                                                : b.CreateFCmpOGE(x, number(x->getType(), -limit));
  llvm::Value* fits = b.CreateAnd(above, b.CreateFCmpOLT(x, number(x->getType(), limit)));
  llvm::Constant* smallest = llvm::ConstantInt::get(type, llvm::APInt::getSignedMinValue(bits));
  return b.CreateSelect(fits, b.CreateFPToSI(x, type), smallest);
}

llvm::Value* to_integer(Builder& b, llvm::Value* x, DType to) {
  llvm::Type* type = value_type(b.getContext(), to);
  if (to == DType::int64) return truncate(b, x, 64);
  if (to == DType::uint32) return b.CreateTrunc(truncate(b, x, 64), type);
  if (to != DType::uint64) return b.CreateTrunc(truncate(b, x, 32), type);
  // The upper half is reached by moving it down by 2^63.
  llvm::Constant* half = number(x->getType(), 0x1p63);
  llvm::Value* upper = b.CreateFCmpOGE(x, half);
  llvm::Value* moved = b.CreateSelect(upper, b.CreateFSub(x, half), x);
  llvm::Value* sign = b.CreateShl(b.CreateZExt(upper, type), 63);
  return b.CreateXor(truncate(b, moved, 64), sign);
}

llvm::Value* from_float(Builder& b, llvm::Value* x, DType to, const Machine& machine) {
  const bool is_double = x->getType()->isDoubleTy();
  switch (to) {
    case DType::boolean: return b.CreateFCmpUNE(x, number(x->getType(), 0));
    case DType::float16: return is_double ? double_to_half(b, x, machine) : float_to_half(b, x, machine);
    case DType::bfloat16: return float_to_bfloat16(b, is_double ? b.CreateFPTrunc(x, b.getFloatTy()) : x);
    case DType::float32: return is_double ? b.CreateFPTrunc(x, b.getFloatTy()) : x;
    case DType::float64: return is_double ? x : b.CreateFPExt(x, b.getDoubleTy());
    default: return to_integer(b, x, to);
  }
}

/// y with the sign of x: a device's conversions give NaN no sign.
llvm::Value* with_sign_of(Builder& b, llvm::Value* x, llvm::Value* y) {
  const unsigned from = x->getType()->getScalarSizeInBits(), to = y->getType()->getScalarSizeInBits();
  llvm::Type* type = b.getIntNTy(to);
  llvm::Value* bits = b.CreateBitCast(x, b.getIntNTy(from));
  bits =
      from > to ? b.CreateTrunc(b.CreateLShr(bits, from - to), type) : b.CreateShl(b.CreateZExt(bits, type), to - from);
  const llvm::APInt sign = llvm::APInt::getSignMask(to);
  llvm::Value* rest = b.CreateAnd(b.CreateBitCast(y, type), llvm::ConstantInt::get(type, ~sign));
  return b.CreateBitCast(b.CreateOr(rest, b.CreateAnd(bits, llvm::ConstantInt::get(type, sign))), y->getType());
}

llvm::Value* cast_float(Builder& b, llvm::Value* x, DType from, DType to, const Machine& machine) {
  if (from == DType::float16) return from_float(b, half_to_float(b, x, machine), to, machine);
  if (from == DType::bfloat16) return from_float(b, bfloat16_to_float(b, x), to, machine);
  return from_float(b, x, to, machine);
}

}  // namespace

llvm::Value* emit_cast(Builder& b, llvm::Value* x, DType from, DType to, const Machine& machine) {
  require<NotImplementedError>(!is_complex(from) && !is_complex(to), "codegen: cast from {} to {} has no native code",
                               name(from), name(to));
  if (from == to) return x;
  if (is_floating(from)) {
    llvm::Value* y = cast_float(b, x, from, to, machine);
    const bool loses_sign = machine.kind == Machine::Kind::device && machine.keeps_nan_signs && is_floating(to);
    return loses_sign ? with_sign_of(b, x, y) : y;
  }
  if (is_boolean(to)) return b.CreateIsNotNull(x);
  const bool is_signed = is_signed_integer(from);
  if (is_integer(to)) return b.CreateIntCast(x, value_type(b.getContext(), to), is_signed);
  llvm::Type* type = to == DType::float64 ? b.getDoubleTy() : b.getFloatTy();
  llvm::Value* real = is_signed ? b.CreateSIToFP(x, type) : b.CreateUIToFP(x, type);
  return from_float(b, real, to, machine);
}

llvm::Value* emit_bitcast(Builder& b, llvm::Value* x, DType from, DType to) {
  if (is_boolean(from)) x = b.CreateZExt(x, b.getInt8Ty());
  if (is_boolean(to)) return b.CreateIsNotNull(x);
  return b.CreateBitCast(x, value_type(b.getContext(), to));
}

}  // namespace tessera::codegen
