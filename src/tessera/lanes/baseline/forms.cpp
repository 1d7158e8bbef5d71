#include "tessera/lanes/baseline/forms.h"

#include "tessera/ir/loops.h"
#include "tessera/ir/opcode.h"

namespace tessera::lanes {

using ir::Opcode;
using ir::Value;

namespace {

bool is_float(DType dtype) { return dtype == DType::float32 || dtype == DType::float64; }

bool is_direct_float(Opcode op) {
  switch (op) {
    case Opcode::add:
    case Opcode::sub:
    case Opcode::mul:
    case Opcode::div:
    case Opcode::min:
    case Opcode::max:
    case Opcode::copysign:
    case Opcode::fma:
    case Opcode::neg:
    case Opcode::abs:
    case Opcode::sqrt:
    case Opcode::floor:
    case Opcode::ceil:
    case Opcode::trunc:
    case Opcode::rint:
    case Opcode::is_nan:
    case Opcode::is_inf:
    case Opcode::is_finite:
    case Opcode::sign_bit: return true;
    default: return op >= Opcode::eq && op <= Opcode::ge;
  }
}

bool is_direct_integer(Opcode op, DType dtype) {
  const bool is_word = itemsize(dtype) == 4;
  switch (op) {
    case Opcode::add:
    case Opcode::sub:
    case Opcode::neg:
    case Opcode::bit_and:
    case Opcode::bit_or:
    case Opcode::bit_xor:
    case Opcode::bit_not:
    case Opcode::eq:
    case Opcode::ne: return true;
    case Opcode::mul: return is_word;
    case Opcode::abs:
    case Opcode::min:
    case Opcode::max: return is_word && is_signed_integer(dtype);
    case Opcode::lt:
    case Opcode::le:
    case Opcode::gt:
    case Opcode::ge: return is_signed_integer(dtype);
    default: return false;
  }
}

bool is_direct_boolean(Opcode op) {
  switch (op) {
    case Opcode::bit_and:
    case Opcode::bit_or:
    case Opcode::bit_xor:
    case Opcode::bit_not:
    case Opcode::eq:
    case Opcode::ne: return true;
    default: return false;
  }
}

bool is_direct_cast(DType from, DType to) {
  if (is_boolean(from) || is_boolean(to)) return true;
  if (is_float(from)) return is_float(to) || to == DType::int32;
  if (is_float(to)) return from == DType::int32;
  return from == DType::int32 || from == DType::uint32 || itemsize(to) == 4;
}

}  // namespace

bool is_register_type(DType dtype) {
  switch (dtype) {
    case DType::boolean:
    case DType::int32:
    case DType::uint32:
    case DType::int64:
    case DType::uint64:
    case DType::float32:
    case DType::float64: return true;
    default: return false;
  }
}

bool is_direct(const ir::Kernel& kernel, Value v) {
  const ir::Instruction& i = kernel.instructions[v];
  std::span<const Value> operands = kernel.operands(v);
  if (!is_register_type(i.type)) return false;
  for (Value operand : operands)
    if (!is_register_type(kernel.instructions[operand].type)) return false;
  if (i.op == Opcode::select) return true;
  if (operands.empty()) return false;
  const DType dtype = kernel.instructions[operands[0]].type;
  if (i.op == Opcode::cast) return is_direct_cast(dtype, i.type);
  if (is_boolean(dtype)) return is_direct_boolean(i.op);
  return is_float(dtype) ? is_direct_float(i.op) : is_direct_integer(i.op, dtype);
}

bool is_baseline_call(const ir::Kernel& kernel, Value v) {
  return ir::is_pure(kernel.instructions[v].op) && !kernel.operands(v).empty() && !is_direct(kernel, v);
}

Alarm alarm_of(const ir::Kernel& kernel, const ir::Instruction& check, std::span<const Value> operands) {
  const DType result = kernel.instructions[operands[0]].type;
  switch (static_cast<ir::ErrorRule>(check.attr)) {
    case ir::ErrorRule::none:
    case ir::ErrorRule::inside: return Alarm::never;
    case ir::ErrorRule::arithmetic:
    case ir::ErrorRule::divide:
    case ir::ErrorRule::pole:
    case ir::ErrorRule::power: return is_float(result) ? Alarm::not_finite : Alarm::never;
    case ir::ErrorRule::integer_divide:
      return is_register_type(kernel.instructions[operands[1]].type) ? Alarm::divisor : Alarm::unknown;
    case ir::ErrorRule::cast:
      if (!is_float(kernel.instructions[operands[1]].type)) return Alarm::never;
      if (is_float(result)) return Alarm::not_finite;
      if (result == DType::int32 || result == DType::int64) return Alarm::is_smallest;
      return is_integer(result) || is_floating(result) ? Alarm::unknown : Alarm::never;
  }
  return Alarm::unknown;
}

}  // namespace tessera::lanes
