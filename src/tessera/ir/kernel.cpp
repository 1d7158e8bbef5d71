#include "tessera/ir/kernel.h"

#include <algorithm>
#include <utility>

namespace tessera::ir {

std::span<const Value> yielded(const Kernel& kernel, const Region& region) {
  if (region.body.empty() || kernel.instructions[region.body.back()].op != Opcode::yield) return {};
  return kernel.operands(region.body.back());
}

Kernel function_kernel(const Kernel& kernel, size_t k) {
  const Kernel& body = kernel.bodies[k];
  Kernel made;
  made.name = kernel.functions[k].name;
  made.ndim = kernel.ndim;
  made.block_axes = kernel.block_axes;
  made.fast_math = kernel.fast_math;
  made.known_extents = kernel.known_extents;
  made.buffers = kernel.buffers;
  made.scalars = kernel.scalars;
  made.arrays = kernel.arrays;
  made.functions = kernel.functions;
  made.constants = body.constants;
  made.instructions = body.instructions;
  made.args = body.args;
  made.regions = body.regions;
  return made;
}

Kernel function_body(Kernel function) {
  Kernel body;
  body.constants = std::move(function.constants);
  body.instructions = std::move(function.instructions);
  body.args = std::move(function.args);
  body.regions = std::move(function.regions);
  return body;
}

int Kernel::result_count(Value v) const {
  const Instruction& i = instructions[v];
  switch (i.op) {
    case Opcode::for_: return i.arg_count - 3;
    case Opcode::while_: return static_cast<int>(region(v, 1).arg_types.size());
    case Opcode::if_: return static_cast<int>(yielded(*this, region(v, 0)).size());
    case Opcode::call: return i.imm < functions.size() ? static_cast<int>(functions[i.imm].results.size()) : 0;
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
