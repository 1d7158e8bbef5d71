#include "tessera/ir/kernel.h"

#include <algorithm>

namespace tessera::ir {

std::span<const Value> yielded(const Kernel& kernel, const Region& region) {
  if (region.body.empty() || kernel.instructions[region.body.back()].op != Opcode::yield) return {};
  return kernel.operands(region.body.back());
}

int Kernel::result_count(Value v) const {
  const Instruction& i = instructions[v];
  switch (i.op) {
    case Opcode::for_: return i.arg_count - 3;
    case Opcode::while_: return static_cast<int>(region(v, 1).arg_types.size());
    case Opcode::if_: return static_cast<int>(yielded(*this, region(v, 0)).size());
    case Opcode::store:
    case Opcode::store_array:
    case Opcode::yield:
    case Opcode::barrier:
    case Opcode::grid_barrier:
    case Opcode::warp_barrier:
    case Opcode::fence:
    case Opcode::pause:
    case Opcode::check: return 0;
    default: return 1;
  }
}

}  // namespace tessera::ir
