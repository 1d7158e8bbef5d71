#include "tessera/mapping/lane_cost.h"

namespace tessera::mapping {

using ir::Opcode;
using ir::Value;

namespace {

bool is_math(Opcode op) {
  return (op >= Opcode::cbrt && op <= Opcode::lgamma) || op == Opcode::pow || op == Opcode::atan2;
}

int instructions_of(const ir::Kernel& kernel, Value v) {
  const Opcode op = kernel.instructions[v].op;
  if (is_math(op)) return 24;
  // A divisor shared by all lanes is prepared once.
  const auto is_shared = [&](Value by) {
    return kernel.instructions[by].op == Opcode::scalar || kernel.instructions[by].op == Opcode::constant;
  };
  if (op == Opcode::div && kernel.instructions[v].type == DType::float64 && is_shared(kernel.operands(v)[1])) return 6;
  if (op == Opcode::div || op == Opcode::floor_div) return 12;
  return op != Opcode::check;
}

}  // namespace

int lane_cost(const ir::Kernel& kernel) {
  int cost = 0;
  for (const ir::Region& region : kernel.regions)
    for (Value v : region.body) cost += instructions_of(kernel, v);
  return cost;
}

}  // namespace tessera::mapping
