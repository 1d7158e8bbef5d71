// Branches and loops, inside a lane or around lane loops: `inside` writes a region in both cases. Around lane loops,
// values that differ between lanes are passed in slots, so only uniform values become phis.
#include "tessera/base/error.h"
#include "tessera/codegen/emit/emitter.h"
#include "tessera/ir/loop_index.h"

namespace tessera::codegen {

using ir::Opcode;
using ir::Value;

bool Control::is_in_ssa(Value v) const { return w_.in_lane || !dependence_.varies(v); }

Parts Control::make_phi(Parts initial, llvm::BasicBlock* from) {
  Parts phi;
  for (auto [value, target] : {std::pair{initial.first, &phi.first}, {initial.second, &phi.second}}) {
    if (!value) continue;
    llvm::PHINode* node = b_.CreatePHI(value->getType(), 2);
    node->addIncoming(value, from);
    *target = node;
  }
  return phi;
}

void Control::add_incoming(Parts phi, Parts value, llvm::BasicBlock* from) {
  llvm::cast<llvm::PHINode>(phi.first)->addIncoming(value.first, from);
  if (phi.second) llvm::cast<llvm::PHINode>(phi.second)->addIncoming(value.second, from);
}

void Control::emit_control(Value v, const Inside& inside) {
  switch (kernel_.instructions[v].op) {
    case Opcode::if_: return emit_if(v, inside);
    case Opcode::for_: return emit_for(v, inside);
    case Opcode::while_: return emit_while(v, inside);
    default: return emit_row_reduce(v, inside);
  }
}

void Control::emit_if(Value v, const Inside& inside) {
  const bool has_else = kernel_.instructions[v].region_count > 1;
  llvm::BasicBlock* then_block = llvm::BasicBlock::Create(context_, "then", function_);
  llvm::BasicBlock* else_block = has_else ? llvm::BasicBlock::Create(context_, "else", function_) : nullptr;
  llvm::BasicBlock* merge = llvm::BasicBlock::Create(context_, "", function_);
  b_.CreateCondBr(get_one(kernel_.operands(v)[0]), then_block, has_else ? else_block : merge);
  std::vector<Parts> phis(yielded(kernel_, kernel_.region(v, 0)).size());
  for (int k = 0; k < 1 + has_else; ++k) {
    b_.SetInsertPoint(k == 0 ? then_block : else_block);
    if (mapping_.exact_grid &&
        e_.events.raises_events(kernel_.instructions[v].first_region + static_cast<ir::RegionId>(k)))
      e_.events.raise_inside([&] { inside(k); });
    else
      inside(k);
    std::span<const Value> results = yielded(kernel_, kernel_.region(v, k));
    llvm::BasicBlock* from = b_.GetInsertBlock();
    std::vector<Parts> values(results.size());
    for (size_t r = 0; r < results.size(); ++r)
      if (is_result_in_ssa(v, r)) values[r] = get(results[r]);
    b_.CreateBr(merge);
    b_.SetInsertPoint(merge);
    for (size_t r = 0; r < results.size(); ++r) {
      if (!values[r].first) continue;
      if (k == 0) {
        phis[r] = make_phi(values[r], from);
      } else {
        add_incoming(phis[r], values[r], from);
      }
    }
  }
  for (size_t r = 0; r < phis.size(); ++r)
    if (phis[r].first) e_.values.set_result(v, r, phis[r]);
}

/// Whether the result is uniform on every path; other results are in a slot.
bool Control::is_result_in_ssa(Value control, size_t r) const {
  bool all = true;
  for (int k = 0; k < kernel_.instructions[control].region_count; ++k)
    all &= is_in_ssa(yielded(kernel_, kernel_.region(control, k))[r]);
  return all;
}

/// Iteration by iteration, without a loop.
void Control::emit_unrolled(Value v, int64_t iterations, const Inside& inside) {
  std::span<const Value> operands = kernel_.operands(v);
  std::vector<Parts> values;
  for (Value initial : operands.subspan(3)) values.push_back(get(initial));
  emit_in_a_row(v, iterations, get_one(operands[0]), get_one(operands[2]), values, inside);
  for (size_t c = 0; c < values.size(); ++c) e_.values.set_result(v, c, values[c]);
}

void Control::emit_for(Value v, const Inside& inside) {
  if (const int64_t iterations = w_.in_lane && e_.frame.row_point() ? lanes::short_iterations(kernel_, v) : 0;
      iterations > 0)
    return emit_unrolled(v, iterations, inside);
  std::span<const Value> operands = kernel_.operands(v);
  std::span<const Value> carried = std::span(kernel_.region(v, 0).arg_values).subspan(1);
  std::vector<Parts> initial(carried.size());
  for (size_t k = 0; k < carried.size(); ++k)
    if (is_in_ssa(carried[k])) initial[k] = get(operands[3 + k]);
  llvm::Value* lower = get_one(operands[0]);
  llvm::Value* upper = get_one(operands[1]);
  llvm::Value* step = get_one(operands[2]);
  if (w_.in_lane && e_.reductions.reads_complex_runs(v))
    lower = e_.reductions.emit_complex_runs(v, lower, upper, initial);
  const bool strides = strides_over_threads(v);
  if (strides) {
    e_.frame.mark_positive(step);
    lower = emit_strided(v, lower, upper, step, initial, inside);
  }
  SharedElements shared;
  if (machine_.kind == Machine::Kind::host && kernel_.ndim == 0) shared = find_shared_elements(kernel_, v);
  e_.memory.enter_apart(shared.none);
  const Iterations iterations{v, shared.none, w_.rolls_loops || strides};
  if (shared.early.empty() && scatters_bytes(v))
    lower = emit_scattering(iterations, {lower, upper, step}, initial, inside);
  const std::vector<Parts> results = shared.early.empty()
                                         ? emit_iterations(iterations, {lower, upper, step, false}, initial, inside)
                                         : emit_halves(iterations, shared, {lower, upper, step}, initial, inside);
  e_.memory.leave_apart(shared.none);
  for (size_t k = 0; k < carried.size(); ++k)
    if (results[k].first) e_.values.set_result(v, k, results[k]);
}

/// Returns what the loop carries at its end.
std::vector<Parts> Control::emit_iterations(const Iterations& of, const Bounds& bounds,
                                            const std::vector<Parts>& initial, const Inside& inside) {
  const ir::Region& body = kernel_.region(of.loop, 0);
  std::span<const Value> carried = std::span(body.arg_values).subspan(1);
  std::vector<Parts> phis(carried.size()), next(carried.size()), results(carried.size());
  llvm::BasicBlock* before = b_.GetInsertBlock();
  llvm::Value* last_at = nullptr;
  if (ir::may_leave_int64(kernel_, kernel_.operands(of.loop)[1], kernel_.operands(of.loop)[2]))
    last_at = b_.CreateBinaryIntrinsic(llvm::Intrinsic::ssub_sat, bounds.upper, bounds.step);
  Loop loop = open_loop(bounds.lower, bounds.upper, bounds.step, bounds.surely_runs, "for");
  loop.last_at = last_at;
  set(body.arg_values[0], {loop.index});
  for (size_t k = 0; k < carried.size(); ++k)
    if (initial[k].first) set(carried[k], phis[k] = make_phi(initial[k], before));
  inside(0);
  std::span<const Value> yields = yielded(kernel_, body);
  for (size_t k = 0; k < carried.size(); ++k) {
    if (!initial[k].first) continue;
    next[k] = get(yields[k]);
    add_incoming(phis[k], next[k], b_.GetInsertBlock());
  }
  close_loop(loop, of.are_apart);
  if (of.stay_rolled) keep_rolled(loop);
  for (size_t k = 0; k < carried.size(); ++k) {
    if (!initial[k].first || bounds.surely_runs) {
      results[k] = next[k];
      continue;
    }
    results[k] = make_phi(initial[k], before);
    add_incoming(results[k], next[k], loop.latch);
  }
  return results;
}

/// The iterations up to the one that stores the elements which all of them load, then the others: each half loads these
/// elements once.
std::vector<Parts> Control::emit_halves(const Iterations& of, const SharedElements& shared, const Bounds& bounds,
                                        const std::vector<Parts>& initial, const Inside& inside) {
  std::vector<Parts> phis(initial.size()), results(initial.size());
  llvm::Value* met_behind = b_.CreateAdd(get_one(shared.met_at), bounds.step);
  llvm::BasicBlock* before = b_.GetInsertBlock();
  Loop halves = open_loop(b_.getInt64(0), b_.getInt64(2), b_.getInt64(1), true, "half");
  for (size_t k = 0; k < initial.size(); ++k)
    if (initial[k].first) phis[k] = make_phi(initial[k], before);
  llvm::Value* is_first = b_.CreateIsNull(halves.index);
  llvm::Value* first_end = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, bounds.upper, met_behind);
  llvm::Value* second_begin = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, bounds.lower, met_behind);
  llvm::Value* lower = b_.CreateSelect(is_first, bounds.lower, second_begin);
  llvm::Value* upper = b_.CreateSelect(is_first, first_end, bounds.upper);
  llvm::BasicBlock* head = b_.GetInsertBlock();
  llvm::BasicBlock* runs = llvm::BasicBlock::Create(context_, "", function_);
  llvm::BasicBlock* done = llvm::BasicBlock::Create(context_, "", function_);
  b_.CreateCondBr(b_.CreateICmpSLT(lower, upper), runs, done);
  b_.SetInsertPoint(runs);
  for (Value load : shared.early) {
    e_.memory.emit_load(load);
    e_.values.give(load, get(load));
  }
  const std::vector<Parts> ran = emit_iterations(of, {lower, upper, bounds.step, true}, phis, inside);
  for (Value load : shared.early) e_.values.take_back(load);
  llvm::BasicBlock* end = b_.GetInsertBlock();
  b_.CreateBr(done);
  b_.SetInsertPoint(done);
  for (size_t k = 0; k < initial.size(); ++k) {
    if (!initial[k].first) continue;
    results[k] = make_phi(phis[k], head);
    add_incoming(results[k], ran[k], end);
    add_incoming(phis[k], results[k], done);
  }
  close_loop(halves, false);
  return results;
}

void Control::emit_while(Value v, const Inside& inside) {
  const ir::Region& condition = kernel_.region(v, 0);
  const ir::Region& body = kernel_.region(v, 1);
  llvm::BasicBlock* header = llvm::BasicBlock::Create(context_, "while", function_);
  llvm::BasicBlock* body_block = llvm::BasicBlock::Create(context_, "", function_);
  llvm::BasicBlock* exit = llvm::BasicBlock::Create(context_, "", function_);
  const size_t count = condition.arg_values.size();
  std::vector<Parts> initial(count), phis(count);
  for (size_t k = 0; k < count; ++k)
    if (is_in_ssa(condition.arg_values[k])) initial[k] = get(kernel_.operands(v)[k]);
  llvm::BasicBlock* before = b_.GetInsertBlock();
  b_.CreateBr(header);
  b_.SetInsertPoint(header);
  for (size_t k = 0; k < count; ++k)
    if (initial[k].first) set(condition.arg_values[k], phis[k] = make_phi(initial[k], before));
  inside(0);
  std::span<const Value> passed = yielded(kernel_, condition);
  for (size_t k = 0; k < body.arg_values.size(); ++k)
    if (is_in_ssa(body.arg_values[k])) set(body.arg_values[k], get(passed[1 + k]));
  b_.CreateCondBr(get_one(passed[0]), body_block, exit);
  b_.SetInsertPoint(body_block);
  inside(1);
  std::span<const Value> next = yielded(kernel_, body);
  for (size_t k = 0; k < count; ++k)
    if (phis[k].first) add_incoming(phis[k], get(next[k]), b_.GetInsertBlock());
  b_.CreateBr(header);
  b_.SetInsertPoint(exit);
  for (size_t k = 0; k < body.arg_values.size(); ++k)
    if (is_in_ssa(body.arg_values[k])) e_.values.set_result(v, k, get(body.arg_values[k]));
}

/// A reduction in index order with one accumulator per lane in a slot: the loop over lanes is inside the loop over
/// elements.
void Control::emit_row_reduce(Value v, const Inside& inside) {
  llvm::Value* lower = get_one(kernel_.operands(v)[0]);
  llvm::Value* upper = get_one(kernel_.operands(v)[1]);
  Loop loop = open_loop(lower, upper, number(lower->getType(), 1), false, "reduce");
  set(kernel_.region(v, 0).arg_values[0], {loop.index});
  inside(0);
  close_loop(loop, false);
}

}  // namespace tessera::codegen
