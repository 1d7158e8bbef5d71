// What instructions compute, and which part of the emitter writes each.
#include "tessera/base/error.h"
#include "tessera/codegen/emit/emitter.h"
#include "tessera/ir/opcode.h"
#include "tessera/ir/source_lines.h"

#include <algorithm>
#include "tessera/codegen/emit/primitives/primitives.h"

namespace tessera::codegen {

using ir::Opcode;
using ir::Value;

Parts Values::get(Value v) {
  const ir::Instruction& i = kernel_.instructions[v];
  switch (i.op) {
    case Opcode::constant: return constant_of(context_, kernel_.constants[i.imm]);
    case Opcode::scalar:
      if (!values_[v].first) values_[v] = e_.frame.scalar(i.imm);
      return values_[v];
    case Opcode::index: return {w_.axis_index[i.imm]};
    case Opcode::extent: return {e_.frame.extent(static_cast<int>(i.imm))};
    case Opcode::dimension: return {e_.memory.dimension(i.imm / 64, static_cast<int>(i.imm % 64))};
    default:
      invariant(values_[v].first != nullptr, "codegen: {} %{} is used before it is computed", ir::name(i.op), v);
      return values_[v];
  }
}

void Values::emit_region(ir::RegionId region) {
  for (Value v : kernel_.regions[region].body) emit_instruction(v);
}

void Values::emit_instruction(Value v) {
  const ir::Instruction& i = kernel_.instructions[v];
  switch (i.op) {
    case Opcode::constant:
    case Opcode::scalar:
    case Opcode::index:
    case Opcode::extent:
    case Opcode::dimension:
    case Opcode::region_arg:
    case Opcode::yield: return;
    case Opcode::result: return set(v, results_.at(kernel_.operands(v)[0]).at(i.imm));
    case Opcode::load: return e_.memory.emit_load(v);
    case Opcode::store:
      return w_.leader ? e_.teams.emit_by_leader([&] { e_.memory.emit_store(v); }) : e_.memory.emit_store(v);
    case Opcode::load_array:
    case Opcode::store_array: return e_.arrays.emit_array_access(v);
    case Opcode::atomic:
    case Opcode::atomic_array:
      invariant(mapping_.team == 1, "codegen: a team for a kernel with atomics");
      return e_.memory.emit_atomic(v);
    case Opcode::check: return e_.events.emit_check(v);
    case Opcode::if_:
      if (e_.arrays.emit_chosen(v)) return;
      [[fallthrough]];
    case Opcode::for_:
    case Opcode::while_:
      return e_.control.emit_control(v, [&](int k) { emit_region(kernel_.instructions[v].first_region + k); });
    case Opcode::reduce: return e_.reductions.emit_reduce(v);
    case Opcode::call_host: return ir::is_line_mark(i) ? e_.frame.emit_line(v) : e_.calls.emit_host_call(v);
    case Opcode::is_aligned: return set(v, {e_.memory.emit_is_aligned(v)});
    case Opcode::address:
    case Opcode::address_array: return e_.calls.emit_address(v);
    case Opcode::call_foreign: return e_.calls.emit_foreign_call(v);
    case Opcode::call: return e_.calls.emit_function_call(v);
    case Opcode::fence: return e_.meetings.emit_fence(v);
    case Opcode::pause: return e_.meetings.emit_pause(v);
    default:
      if (ir::is_meeting(i.op)) return e_.meetings.emit_meeting(v);
      break;
  }
  llvm::IRBuilderBase::InsertPointGuard guard(b_);
  const llvm::DebugLoc line = b_.getCurrentDebugLocation();
  if (llvm::Instruction* point = e_.frame.hoist_point(dependence_.level(v))) b_.SetInsertPoint(point);
  b_.SetCurrentDebugLocation(line);  // of the source, wherever it is computed
  set(v, emit_pure(v));
}

/// A sum that a loop carries may be computed in any order, and products may be added without being rounded.
void Values::loosen(Value v, llvm::Value* value) {
  const ir::Instruction& i = kernel_.instructions[v];
  auto* made = llvm::dyn_cast<llvm::Instruction>(value);
  const bool is_sum = i.op == Opcode::add || i.op == Opcode::sub;
  if (!made || !is_floating(i.type) || !(is_sum || i.op == Opcode::mul)) return;
  made->setHasAllowContract(true);
  const auto is_carried = [&](Value operand) { return kernel_.instructions[operand].op == Opcode::region_arg; };
  if (is_sum && std::ranges::any_of(kernel_.operands(v), is_carried)) made->setHasAllowReassoc(true);
}

Parts Values::emit_pure(Value v) {
  const ir::Instruction& i = kernel_.instructions[v];
  std::span<const Value> operands = kernel_.operands(v);
  switch (i.op) {
    case Opcode::make_complex: return {get_one(operands[0]), get_one(operands[1])};
    case Opcode::real: return {get_one(operands[0])};
    case Opcode::imag: return {get(operands[0]).second};
    case Opcode::select: {
      llvm::Value* condition = get_one(operands[0]);
      const Parts x = get(operands[1]), y = get(operands[2]);
      return {b_.CreateSelect(condition, x.first, y.first),
              x.second ? b_.CreateSelect(condition, x.second, y.second) : nullptr};
    }
    case Opcode::cast: return {emit_cast(b_, get_one(operands[0]), type_of(operands[0]), i.type, machine_)};
    case Opcode::bitcast: return {emit_bitcast(b_, get_one(operands[0]), type_of(operands[0]), i.type)};
    default: break;
  }
  if (e_.calls.is_call(v)) return {e_.calls.emit_single_call(v)};
  llvm::SmallVector<llvm::Value*, 3> values;
  for (Value operand : operands) values.push_back(get_one(operand));
  if (kernel_.fast_math && machine_.kind == Machine::Kind::device && type_of(operands[0]) == DType::float32)
    if (llvm::Value* value = emit_approximate(b_, i.op, values, mapping_.capability)) return {value};
  if (is_quick_root(v)) return {emit_quick_root(values[0])};
  if (i.op == Opcode::guess_reciprocal) return {emit_reciprocal_guess(values[0])};
  if (llvm::Value* value = mapping_.fast_compile ? e_.fast_compile.emit_written_out(i, values) : nullptr)
    return {value};
  llvm::Value* value = emit_primitive(b_, i.op, type_of(operands[0]), values, module_, math_, machine_);
  if (kernel_.fast_math && machine_.kind == Machine::Kind::host) loosen(v, value);
  // Inlining passes the access group on to the loads from the math library's tables, which otherwise look like
  // dependences.
  if (auto* call = llvm::dyn_cast<llvm::CallInst>(value)) e_.memory.mark_access(call, no_buffer);
  return {value};
}

void Values::set_result(Value control, size_t k, Parts value) {
  std::vector<Parts>& results = results_[control];
  if (results.size() <= k) results.resize(k + 1);
  results[k] = value;
  if (k == 0) set(control, value);
}

}  // namespace tessera::codegen
