// Loops over complex numbers that carry both parts, as products do: one access reads both parts of an element, and the
// loads of many elements are in flight together.
#include "tessera/codegen/emit/emitter.h"
#include "tessera/ir/opcode.h"

#include <algorithm>

namespace tessera::codegen {

using ir::Opcode;
using ir::Value;

/// Whether a loop reads complex numbers at positions that depend on its counter alone, and does little else, as
/// products do.
bool Reductions::reads_complex_runs(Value v) const {
  const ir::Instruction& loop = kernel_.instructions[v];
  if (loop.op != Opcode::for_ || machine_.kind != Machine::Kind::device || w_.rolls_loops ||
      region_cost(loop.first_region) > 16)
    return false;
  const ir::Instruction& step = kernel_.instructions[kernel_.operands(v)[2]];
  if (step.op != Opcode::constant || kernel_.constants[step.imm].as_int() != 1) return false;
  const ir::Region& region = kernel_.region(v, 0);
  const auto is_made_inside = [&](Value w) {
    return std::ranges::count(region.body, w) || std::ranges::count(std::span(region.arg_values).subspan(1), w);
  };
  bool reads_complex = false;
  for (Value w : region.body) {
    const ir::Instruction& i = kernel_.instructions[w];
    if (i.region_count > 0 || ir::sees_other_lanes(i.op) || i.op == Opcode::store || i.op == Opcode::check)
      return false;
    if (i.op != Opcode::load) continue;
    if (kernel_.buffers[i.imm].writable || std::ranges::any_of(kernel_.operands(w), is_made_inside)) return false;
    reads_complex |= is_complex(i.type);
  }
  return reads_complex;
}

/// Emits such a loop in steps of several iterations whose loads are in flight together; updates the carried values and
/// returns the index at which the remaining iterations begin. Elements that are not aligned so that one access reads
/// both parts are left to the plain loop.
llvm::Value* Reductions::emit_complex_runs(Value v, llvm::Value* lower, llvm::Value* upper,
                                           std::vector<Parts>& carried) {
  const ir::Region& region = kernel_.region(v, 0);
  const std::span<const Value> arguments = std::span(region.arg_values).subspan(1), results = yielded(kernel_, region);
  constexpr int64_t bytes_at_once = 256;
  int64_t item = 0;
  for (Value w : region.body)
    if (kernel_.instructions[w].op == Opcode::load) item += itemsize(type_of(w));
  const int64_t at_once = std::max<int64_t>(1, bytes_at_once / item);
  llvm::Type* type = lower->getType();
  const auto count = [&](int64_t k) { return number(type, static_cast<double>(k)); };
  llvm::Value* last = b_.CreateBinaryIntrinsic(llvm::Intrinsic::ssub_sat, upper, count(at_once - 1));
  llvm::Value* end = b_.CreateSelect(emit_is_whole(), last, lower);
  llvm::BasicBlock* before = b_.GetInsertBlock();
  Loop loop = e_.control.open_loop(lower, end, count(at_once), false, "together");
  std::vector<Parts> totals, next;
  for (const Parts& parts : carried) totals.push_back(e_.control.make_phi(parts, before));
  std::vector<std::unordered_map<Value, Parts>> loaded(static_cast<size_t>(at_once));
  const auto enter = [&](size_t k) {
    set(region.arg_values[0], {b_.CreateAdd(loop.index, count(static_cast<int64_t>(k)), "", true, true)});
  };
  e_.memory.read_whole(true);
  for (size_t k = 0; k < loaded.size(); ++k) {
    enter(k);
    for (Value w : region.body) {
      if (kernel_.instructions[w].op != Opcode::load) continue;
      e_.values.emit_instruction(w);
      loaded[k][w] = get(w);
    }
  }
  e_.memory.read_whole(false);
  next = totals;
  for (size_t k = 0; k < loaded.size(); ++k) {
    enter(k);
    for (size_t c = 0; c < arguments.size(); ++c) set(arguments[c], next[c]);
    e_.values.give_all(std::move(loaded[k]));
    e_.values.emit_region(kernel_.instructions[v].first_region);
    for (size_t c = 0; c < arguments.size(); ++c) next[c] = get(results[c]);
  }
  e_.values.take_all_back();
  for (size_t c = 0; c < totals.size(); ++c) e_.control.add_incoming(totals[c], next[c], b_.GetInsertBlock());
  const Parts after{b_.CreateAdd(loop.index, count(at_once), "", true, true)};
  e_.control.close_loop(loop, false);
  const auto either = [&](Parts not_run, Parts run) {
    const Parts phi = e_.control.make_phi(not_run, before);
    e_.control.add_incoming(phi, run, loop.latch);
    return phi;
  };
  const Parts rest = either({lower}, after);
  for (size_t c = 0; c < carried.size(); ++c) carried[c] = either(carried[c], next[c]);
  return rest.first;
}

}  // namespace tessera::codegen
