// Branch-free square roots of float32 on a device: the hardware's own branches for numbers that are close to 0,
// infinite or negative, and no instruction of another lane is issued before the branch is resolved.
#include "tessera/codegen/emit/emitter.h"

namespace tessera::codegen {

using ir::Opcode;
using ir::Value;

bool Values::is_quick_root(Value v) const {
  const ir::Instruction& i = kernel_.instructions[v];
  return machine_.kind == Machine::Kind::device && i.op == Opcode::sqrt && i.type == DType::float32;
}

/// The hardware approximation of the reciprocal root and one correction step by the exact remainder, as in the PTX
/// assembler's expansion, on numbers scaled so that no step is subnormal. Zeros and infinity are their own roots;
/// negative numbers and NaN become NaN on the way.
llvm::Value* Values::emit_quick_root(llvm::Value* x) {
  llvm::Type* type = x->getType();
  const auto fma = [&](llvm::Value* a, llvm::Value* b, llvm::Value* c) {
    return b_.CreateIntrinsic(llvm::Intrinsic::fma, {type}, {a, b, c});
  };
  llvm::Value* is_small = b_.CreateFCmpOLT(x, number(type, 0x1p-100));
  llvm::Value* scaled = b_.CreateSelect(is_small, b_.CreateFMul(x, number(type, 0x1p64)), x);
  llvm::Value* inverse = device::guess_inverse_root(b_, scaled);
  llvm::Value* root = b_.CreateFMul(scaled, inverse);
  root = fma(fma(b_.CreateFNeg(root), root, scaled), b_.CreateFMul(inverse, number(type, 0.5)), root);
  root = b_.CreateSelect(is_small, b_.CreateFMul(root, number(type, 0x1p-32)), root);
  llvm::Value* is_zero = b_.CreateFCmpOEQ(scaled, number(type, 0));
  llvm::Value* is_infinite = b_.CreateFCmpOEQ(scaled, llvm::ConstantFP::getInfinity(type));
  return b_.CreateSelect(b_.CreateOr(is_zero, is_infinite), scaled, root);
}

/// The hardware's approximation, which only gives the upper half of a double.
llvm::Value* Values::emit_reciprocal_guess(llvm::Value* x) {
  const bool has_guess = machine_.kind == Machine::Kind::device && x->getType()->isDoubleTy();
  return has_guess ? device::guess_reciprocal(b_, x) : b_.CreateFDiv(number(x->getType(), 1), x);
}

}  // namespace tessera::codegen
