// Kernels with fast math on a device: float32 functions by its approximate instructions.
#include "tessera/codegen/emit/primitives/primitives.h"

#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/IntrinsicsNVPTX.h>

namespace tessera::codegen {

using ir::Opcode;

namespace {

constexpr double log2_of_e = 1.4426950408889634, ln_of_2 = 0.6931471805599453, log10_of_2 = 0.30102999566398120;

llvm::Value* call_intrinsic(Builder& b, llvm::Intrinsic::ID id, Operands v) { return b.CreateIntrinsic(id, {}, v); }

llvm::Value* times(Builder& b, llvm::Value* x, double factor) { return b.CreateFMul(x, number(x->getType(), factor)); }

/// The instruction has no intrinsic.
llvm::Value* tanh_of(Builder& b, llvm::Value* x) {
  auto* type = llvm::FunctionType::get(b.getFloatTy(), {b.getFloatTy()}, false);
  return b.CreateCall(llvm::InlineAsm::get(type, "tanh.approx.f32 $0, $1;", "=f,f", false), {x});
}

}  // namespace

/// Nothing for opcodes that have no approximation.
llvm::Value* emit_approximate(Builder& b, Opcode op, Operands v, int capability) {
  using namespace llvm::Intrinsic;
  constexpr int first_with_tanh = 75;
  const auto log2 = [&](llvm::Value* x) { return call_intrinsic(b, nvvm_lg2_approx_ftz_f, {x}); };
  const auto exp2 = [&](llvm::Value* x) { return call_intrinsic(b, nvvm_ex2_approx_ftz_f, {x}); };
  const auto quotient = [&](llvm::Value* x, llvm::Value* y) {
    return call_intrinsic(b, nvvm_div_approx_ftz_f, {x, y});
  };
  switch (op) {
    case Opcode::div: return quotient(v[0], v[1]);
    case Opcode::sqrt: return call_intrinsic(b, nvvm_sqrt_approx_ftz_f, v);
    case Opcode::sin: return call_intrinsic(b, nvvm_sin_approx_ftz_f, v);
    case Opcode::cos: return call_intrinsic(b, nvvm_cos_approx_ftz_f, v);
    case Opcode::tan:
      return quotient(call_intrinsic(b, nvvm_sin_approx_ftz_f, v), call_intrinsic(b, nvvm_cos_approx_ftz_f, v));
    case Opcode::exp: return exp2(times(b, v[0], log2_of_e));
    case Opcode::exp2: return exp2(v[0]);
    case Opcode::log: return times(b, log2(v[0]), ln_of_2);
    case Opcode::log2: return log2(v[0]);
    case Opcode::pow: return exp2(b.CreateFMul(v[1], log2(v[0])));
    case Opcode::log10: return times(b, log2(v[0]), log10_of_2);
    case Opcode::tanh: return capability >= first_with_tanh ? tanh_of(b, v[0]) : nullptr;
    default: return nullptr;
  }
}

}  // namespace tessera::codegen
