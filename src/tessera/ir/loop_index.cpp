#include "tessera/ir/loop_index.h"

#include <algorithm>

namespace tessera::ir {

namespace {

constexpr int64_t large_index = int64_t{1} << 32;
constexpr int most_sums = 3;

int64_t constant_index(const Kernel& kernel, Value v) { return kernel.constants[kernel.instructions[v].imm].as_int(); }

/// Whether the value is far below 2^62. `sums` bounds how many sums deep it looks.
bool is_moderate(const Kernel& kernel, Value v, int sums) {
  const Instruction& i = kernel.instructions[v];
  const auto all = [&](auto&& holds) { return std::ranges::all_of(kernel.operands(v), holds); };
  switch (i.op) {
    case Opcode::extent:
    case Opcode::dimension: return true;
    case Opcode::constant: return constant_index(kernel, v) > -large_index && constant_index(kernel, v) < large_index;
    case Opcode::mul: return all([&](Value factor) { return kernel.instructions[factor].op == Opcode::extent; });
    case Opcode::add:
    case Opcode::sub: return sums > 0 && all([&](Value term) { return is_moderate(kernel, term, sums - 1); });
    default: return false;
  }
}

}  // namespace

bool may_leave_int64(const Kernel& kernel, Value upper, Value step) {
  if (kernel.instructions[step].op == Opcode::constant) {
    const int64_t by = constant_index(kernel, step);
    if (by >= -1 && by <= 1) return false;
  }
  return !is_moderate(kernel, upper, most_sums) || !is_moderate(kernel, step, most_sums);
}

}  // namespace tessera::ir
