#include "tessera/ir/loops/level.h"
#include "tessera/ir/loops/value_families.h"

namespace tessera::ir::TESSERA_LOOP_LEVEL {

Loop find(Opcode op, DType operand, DType result) {
  switch (op) {
    case Opcode::cast: return find_cast(operand, result);
    case Opcode::load:
    case Opcode::store:
    case Opcode::select:
    case Opcode::bitcast:
    case Opcode::make_complex:
    case Opcode::real:
    case Opcode::index:
    case Opcode::imag: return find_move(op, operand, result);
    default: break;
  }
  if (is_complex(operand) || (is_floating(operand) && itemsize(operand) == 2)) return nullptr;
  if (op >= Opcode::eq && op <= Opcode::ge) return find_comparison(op, operand);
  if (!is_floating(operand)) {
    if (const Loop loop = find_bits(op, operand)) return loop;
    if (is_boolean(operand)) return nullptr;
    const Loop loop = find_integer(op, operand);
    return loop ? loop : find_integer_division(op, operand);
  }
  using Family = Loop (*)(Opcode, DType);
  constexpr Family families[] = {find_float,         find_float_test, find_exponential,
                                 find_trigonometric, find_hyperbolic, find_special};
  for (const Family family : families) {
    if (const Loop loop = family(op, operand)) return loop;
  }
  return nullptr;
}

ValueFunction find_values(Opcode op, DType type) {
  using Family = ValueFunction (*)(Opcode, DType);
  constexpr Family families[] = {find_exponential_values, find_trigonometric_values, find_hyperbolic_values,
                                 find_special_values};
  for (const Family family : families) {
    if (const ValueFunction function = family(op, type); function.one) return function;
  }
  return {};
}

}  // namespace tessera::ir::TESSERA_LOOP_LEVEL
