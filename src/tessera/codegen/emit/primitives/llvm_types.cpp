#include "tessera/codegen/emit/primitives/llvm_types.h"

#include <cstring>

namespace tessera::codegen {

llvm::Type* value_type(llvm::LLVMContext& context, DType dtype) {
  switch (dtype) {
    case DType::boolean: return llvm::Type::getInt1Ty(context);
    case DType::int8:
    case DType::uint8: return llvm::Type::getInt8Ty(context);
    case DType::int16:
    case DType::uint16:
    case DType::float16:
    case DType::bfloat16: return llvm::Type::getInt16Ty(context);
    case DType::int32:
    case DType::uint32: return llvm::Type::getInt32Ty(context);
    case DType::int64:
    case DType::uint64: return llvm::Type::getInt64Ty(context);
    case DType::float32:
    case DType::complex64: return llvm::Type::getFloatTy(context);
    case DType::float64:
    case DType::complex128: return llvm::Type::getDoubleTy(context);
  }
  return nullptr;
}

llvm::Type* memory_type(llvm::LLVMContext& context, DType dtype) {
  return is_boolean(dtype) ? llvm::Type::getInt8Ty(context) : value_type(context, dtype);
}

namespace {

llvm::Constant* part(llvm::Type* type, DType dtype, const unsigned char* bytes) {
  uint64_t word = 0;
  std::memcpy(&word, bytes, part_size(dtype));
  const unsigned bits = static_cast<unsigned>(part_size(dtype)) * 8;
  if (is_boolean(dtype)) return llvm::ConstantInt::get(type, word & 1);
  if (type->isIntegerTy()) return llvm::ConstantInt::get(type, llvm::APInt(bits, word));
  return llvm::ConstantFP::get(type, llvm::APFloat(type->getFltSemantics(), llvm::APInt(bits, word)));
}

}  // namespace

Parts constant_of(llvm::LLVMContext& context, const Scalar& scalar) {
  llvm::Type* type = value_type(context, scalar.dtype);
  Parts parts{part(type, scalar.dtype, scalar.bytes)};
  if (is_complex(scalar.dtype)) parts.second = part(type, scalar.dtype, scalar.bytes + part_size(scalar.dtype));
  return parts;
}

llvm::Constant* number(llvm::Type* type, double value) {
  if (type->isIntegerTy()) return llvm::ConstantInt::getSigned(type, static_cast<int64_t>(value));
  return llvm::ConstantFP::get(type, value);
}

}  // namespace tessera::codegen
