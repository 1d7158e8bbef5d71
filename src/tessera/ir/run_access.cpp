#include "tessera/ir/run_access.h"

namespace tessera::ir {

bool is_run_access(const Kernel& kernel, Value v) {
  const Instruction& i = kernel.instructions[v];
  if (i.op != Opcode::load && i.op != Opcode::store) return false;
  const BufferParam& buffer = kernel.buffers[i.imm];
  if (buffer.inner != InnerStride::contiguous) return false;
  const std::span<const Value> indices = kernel.operands(v).subspan(i.op == Opcode::store ? 1 : 0);
  for (Value index : indices)
    if (kernel.instructions[index].op != Opcode::index && kernel.instructions[index].op != Opcode::constant)
      return false;
  const Instruction& last = kernel.instructions[indices.back()];
  for (Value index : indices.first(indices.size() - 1)) {
    const Instruction& outer = kernel.instructions[index];
    if (outer.op == Opcode::index && static_cast<int>(outer.imm) + 1 == kernel.ndim) return false;
  }
  return last.op == Opcode::index && static_cast<int>(last.imm) + 1 == kernel.ndim;
}

}  // namespace tessera::ir
