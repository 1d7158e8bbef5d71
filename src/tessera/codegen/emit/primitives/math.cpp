// A primitive opcode: by the family that emits it inline, else by the math library's function.
#include "tessera/base/error.h"
#include "tessera/codegen/emit/primitives/primitives.h"

namespace tessera::codegen {

using ir::Opcode;

namespace {

bool divides(Opcode op) {
  return op == Opcode::div || op == Opcode::rem || op == Opcode::floor_div || op == Opcode::floor_mod;
}

/// By a constant that is a power of two, rounding down: a shift or a mask. Null for all else.
llvm::Value* divide_by_power_of_two(Builder& b, Opcode op, DType dtype, Operands operands) {
  if (!divides(op)) return nullptr;
  const bool rounds_down = !is_signed_integer(dtype) || op == Opcode::floor_div || op == Opcode::floor_mod;
  const auto* divisor = llvm::dyn_cast<llvm::ConstantInt>(operands[1]);
  if (!rounds_down || !divisor || !divisor->getValue().isPowerOf2()) return nullptr;
  if (is_signed_integer(dtype) && divisor->isNegative()) return nullptr;
  llvm::Type* type = operands[0]->getType();
  if (op == Opcode::rem || op == Opcode::floor_mod)
    return b.CreateAnd(operands[0], llvm::ConstantInt::get(type, divisor->getValue() - 1));
  const uint64_t bits = divisor->getValue().logBase2();
  return is_signed_integer(dtype) ? b.CreateAShr(operands[0], bits) : b.CreateLShr(operands[0], bits);
}

/// Whether these integers are divided by way of floats: in vector code (where conversions of 64-bit integers require
/// AVX-512), and on a device 64-bit integers of straight-line lanes. The device's 64-bit integer division is a branch,
/// and precomputes nothing for lanes that share a divisor.
/// Narrow ones by a constant are products: LLVM knows them.
bool divides_by_floats(Opcode op, DType dtype, Operands operands, const Machine& machine) {
  const bool is_long = itemsize(dtype) == 8;
  if (divides(op) && !is_long && llvm::isa<llvm::ConstantInt>(operands[1])) return false;
  return divides(op) && (machine.kind == Machine::Kind::host ? !is_long || machine.level >= 4
                                                             : is_long && machine.divides_long_by_floats);
}

}  // namespace

llvm::Value* emit_primitive(Builder& b, Opcode op, DType dtype, Operands operands, llvm::Module& module,
                            MathLibrary& math, const Machine& machine) {
  if (op >= Opcode::eq && op <= Opcode::ge) return emit_comparison(b, op, dtype, operands[0], operands[1]);
  llvm::Value* value = nullptr;
  if (is_boolean(dtype)) {
    value = emit_boolean_primitive(b, op, operands);
  } else if (is_integer(dtype)) {
    if (llvm::Value* shifted = divide_by_power_of_two(b, op, dtype, operands)) return shifted;
    if (divides_by_floats(op, dtype, operands, machine)) {
      const std::string name = "tessera_math_" + std::string(ir::name(op)) + "_" + std::string(tessera::name(dtype));
      return b.CreateCall(math.import(name, module), operands);
    }
    value = emit_integer_primitive(b, op, dtype, operands, module);
  } else if (dtype == DType::float32 || dtype == DType::float64) {
    value = emit_float_primitive(b, op, operands);
    if (!value) {
      const char* suffix = dtype == DType::float32 ? "_f32" : "_f64";
      value = b.CreateCall(math.import("tessera_math_" + std::string(ir::name(op)) + suffix, module), operands);
    }
  }
  require<NotImplementedError>(value != nullptr, "codegen: {} of {} has no native code", ir::name(op), name(dtype));
  return value;
}

}  // namespace tessera::codegen
