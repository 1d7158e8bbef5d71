// One lane of a device's thread, of which the loads come first: the PTX assembler moves none above a branch.
#include <algorithm>

#include "tessera/codegen/emit/emitter.h"

namespace tessera::codegen {

using ir::Opcode;
using ir::Value;

namespace {

/// Whether the instruction is a branch, is expanded to a branch by the PTX assembler, or contains one.
bool branches_within(const ir::Instruction& i) {
  switch (i.op) {
    case Opcode::sqrt:
    case Opcode::sin:
    case Opcode::cos:
    case Opcode::tan: return i.type == DType::float64;
    case Opcode::rem:
    case Opcode::floor_div:
    case Opcode::floor_mod: return is_floating(i.type);
    case Opcode::div:
    case Opcode::hypot:
    case Opcode::asin:
    case Opcode::acos:
    case Opcode::asinh:
    case Opcode::acosh: return true;
    default: return false;
  }
}

}  // namespace

/// Whether lanes may be computed a second time: no control flow but reductions, and no loads of what the kernel stores.
bool Grid::is_replayable(std::span<const Value> body) const {
  for (Value v : body) {
    const ir::Instruction& i = kernel_.instructions[v];
    if (i.op == Opcode::barrier || i.op == Opcode::atomic || (i.op == Opcode::load && kernel_.buffers[i.imm].writable))
      return false;
    if (i.op == Opcode::reduce ? !is_replayable(kernel_.region(v, 0).body) : i.region_count > 0) return false;
  }
  return true;
}

/// Whether v is emitted before other values: loads at known positions, in bodies with branches. The PTX assembler moves
/// no load above the branches of a division or a root, so each would be waited for separately.
bool Grid::goes_first(Value v) const {
  const auto has = [&](auto&& test) {
    return std::any_of(kernel_.regions[0].body.begin(), kernel_.regions[0].body.end(),
                       [&](Value w) { return test(kernel_.instructions[w]); });
  };
  return kernel_.instructions[v].op == Opcode::load && is_run_access(v) && has(branches_within);
}

/// Emits everything of a lane but its stores.
void Grid::emit_values() {
  const std::vector<Value>& body = kernel_.regions[0].body;
  for (Value v : body)
    if (goes_first(v)) e_.values.emit_instruction(v);
  for (Value v : body)
    if (kernel_.instructions[v].op != Opcode::store && !goes_first(v)) e_.values.emit_instruction(v);
}

void Grid::emit_stores() {
  for (Value v : kernel_.regions[0].body)
    if (kernel_.instructions[v].op == Opcode::store) e_.values.emit_instruction(v);
}

/// Detects events before it stores: the operands are then intact, should the lane have to be computed again.
void Grid::emit_watched_lane(llvm::Value* index) {
  w_.axis_index.back() = index;
  e_.events.open_watch(kernel_.regions[0].body);
  emit_values();
  e_.events.close_device_watch(index);
  emit_stores();
}

}  // namespace tessera::codegen
