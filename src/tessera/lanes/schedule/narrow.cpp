#include "tessera/lanes/schedule/narrow.h"

#include <algorithm>

#include "tessera/ir/opcode.h"
#include "tessera/ir/run_access.h"
#include "tessera/lanes/schedule/dependence.h"

namespace tessera::lanes {

using ir::Opcode;
using ir::Value;

namespace {

bool is_division(Opcode op) {
  return op == Opcode::div || op == Opcode::rem || op == Opcode::floor_div || op == Opcode::floor_mod;
}

/// Whether the instruction makes lanes depend on each other or has control flow.
bool is_crooked(const ir::Instruction& i) { return i.region_count || ir::sees_other_lanes(i.op); }

}  // namespace

int narrow_size(const ir::Kernel& kernel) {
  if (kernel.ndim == 0 || !kernel.arrays.empty()) return 0;
  const Dependence dependence(kernel);
  int64_t size = 0;
  bool stores = false;
  for (Value v : kernel.regions[0].body) {
    const ir::Instruction& i = kernel.instructions[v];
    if (is_crooked(i)) return 0;
    if (i.op == Opcode::check) {
      const auto rule = static_cast<ir::ErrorRule>(i.attr);
      const bool is_quiet = rule == ir::ErrorRule::none ||
                            (rule == ir::ErrorRule::integer_divide && !dependence.varies(kernel.operands(v)[2]));
      if (!is_quiet) return 0;
    }
    if (i.op != Opcode::load && i.op != Opcode::store) continue;
    const ir::BufferParam& buffer = kernel.buffers[i.imm];
    if (i.op == Opcode::load && (buffer.writable || !dependence.varies(v))) {
      if (buffer.writable) return 0;
      continue;
    }
    const int64_t item = itemsize(buffer.dtype);
    if (!ir::is_run_access(kernel, v) || (!is_integer(buffer.dtype) && !is_boolean(buffer.dtype))) return 0;
    if (item > 2 || (size && item != size)) return 0;
    size = item;
    stores |= i.op == Opcode::store;
  }
  return stores ? static_cast<int>(size) : 0;
}

std::vector<Value> shared_divisors(const ir::Kernel& kernel) {
  const Dependence dependence(kernel);
  std::vector<Value> list;
  for (Value v : kernel.regions[0].body) {
    const ir::Instruction& i = kernel.instructions[v];
    if (!is_division(i.op) || !is_integer(i.type) || !dependence.varies(v)) continue;
    const Value divisor = kernel.operands(v)[1];
    if (!dependence.varies(divisor) && std::find(list.begin(), list.end(), divisor) == list.end())
      list.push_back(divisor);
  }
  return list;
}

}  // namespace tessera::lanes
