// The frame of a host kernel: loops over the box, rows cut into strips, lane loops and the slots that pass values
// between them.
#include "tessera/base/error.h"
#include "tessera/codegen/emit/emitter.h"
#include "tessera/codegen/emit/symbols.h"
#include "tessera/ir/opcode.h"

namespace tessera::codegen {

using ir::Value;

namespace {

constexpr int64_t slot_bytes = 16 << 10;  // so that slots and the data of a strip fit the first-level cache
constexpr int64_t stream_lanes = 512;
constexpr int64_t watch_lanes = 2048;  // recomputed by the interpreter when an event may have happened

}  // namespace

llvm::Function* Lanes::emit_kernel(const char* name) {
  llvm::Type* pointer = b_.getPtrTy();
  auto* type = llvm::FunctionType::get(b_.getVoidTy(), {pointer, pointer, pointer}, false);
  llvm::Function* function = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, name, module_);
  e_.frame.open_function(function);
  e_.calls.emit_functions();
  llvm::BasicBlock* start = llvm::BasicBlock::Create(context_, "start", function);
  llvm::BasicBlock* done = llvm::BasicBlock::Create(context_, "done", function);
  std::vector<llvm::Value*> begin, end;
  llvm::Value* runs = b_.getTrue();
  for (int axis = 0; axis < kernel_.ndim; ++axis) {
    begin.push_back(b_.CreateLoad(word_, b_.CreateConstGEP1_64(word_, function->getArg(1), axis)));
    end.push_back(b_.CreateLoad(word_, b_.CreateConstGEP1_64(word_, function->getArg(2), axis)));
    runs = b_.CreateAnd(runs, b_.CreateICmpSLT(begin.back(), end.back()));
  }
  b_.CreateCondBr(runs, start, done);
  b_.SetInsertPoint(start);
  e_.frame.open_level();
  // Where loops only detect that an event may have happened, the interpreter finds the events.
  if (!e_.events.can_watch()) e_.events.open_flags();
  std::vector<Loop> loops;
  const int walked = lane_axes(kernel_);
  for (int axis = 0; axis + walked < kernel_.ndim; ++axis) {
    loops.push_back(e_.control.open_loop(begin[axis], end[axis], b_.getInt64(1), true, "axis"));
    w_.axis_index[axis] = loops.back().index;
    e_.frame.open_level();
  }
  const bool has_lanes = kernel_.ndim > 0;
  w_.strip.begin = has_lanes && walked == 1 ? begin.back() : b_.getInt64(0);
  w_.strip.end = !has_lanes    ? b_.getInt64(1)
                 : walked == 1 ? end.back()
                               : e_.frame.at_level(0, [&] { return lanes_of_block(); });
  emit_row(Schedule(kernel_, dependence_, e_.events.can_watch()));
  for (size_t k = loops.size(); k-- > 0;) e_.control.close_loop(loops[k], false);
  e_.streams.fence_streams();
  e_.events.close_flags();
  e_.frame.give_memory_back();
  b_.CreateBr(done);
  b_.SetInsertPoint(done);
  b_.CreateRetVoid();
  return function;
}

/// Bytes of slots and local arrays for a lane.
int64_t Lanes::bytes_a_lane(const Schedule& schedule) const {
  int64_t bytes = 0;
  for (DType dtype : schedule.array_types) bytes += itemsize(dtype);
  for (const ir::ArrayDecl& array : kernel_.arrays) bytes += array.shared ? 0 : array.size * itemsize(array.dtype);
  return bytes;
}

/// The lanes of a block have their slots and local arrays at once: on the stack, if it is not too small.
bool Lanes::fits_stack(const Schedule& schedule) const {
  constexpr int64_t most_lanes = 1024, most_bytes = int64_t{2} << 20;
  return bytes_a_lane(schedule) * most_lanes <= most_bytes;
}

llvm::Value* Lanes::lanes_of_block() {
  llvm::Value* lanes = b_.getInt64(1);
  for (int axis = kernel_.first_block_axis(); axis < kernel_.ndim; ++axis)
    lanes = b_.CreateMul(lanes, e_.frame.extent(axis), "", false, true);
  return lanes;
}

/// The number of lanes in a strip when the row must be cut, 0 when it need not be.
int64_t Lanes::strip_lanes(const Schedule& schedule) const {
  const int64_t bytes = bytes_a_lane(schedule);
  if (bytes == 0) return e_.streams.any() ? stream_lanes : e_.events.can_watch() ? watch_lanes : 0;
  int64_t lanes = 2048;
  while (lanes > 16 && lanes * bytes > slot_bytes) lanes /= 2;
  return !e_.streams.any() ? lanes : std::min(lanes, stream_lanes);
}

void Lanes::emit_row(const Schedule& schedule) {
  bool has_shared = schedule.has_barrier;
  for (const ir::ArrayDecl& array : kernel_.arrays) has_shared |= array.shared;
  e_.streams.find_streams(schedule);
  const int64_t lanes = strip_lanes(schedule);
  // The lanes of a block form one row and synchronise at barriers: then the strip is the whole row.
  const bool keeps_much = kernel_.block_axes > 1 && has_shared && !fits_stack(schedule);
  e_.frame.use_heap(keeps_much);
  // Blocks that wait for each other give such memory back in another order than they took it.
  require<NotImplementedError>(!keeps_much || !ir::waits_for_others(kernel_),
                               "codegen: blocks that wait for each other keep at most 2 KiB a lane");
  w_.strip.size = lane_axes(kernel_) > 1           ? w_.strip.end
                  : has_shared && kernel_.ndim > 0 ? e_.frame.extent(kernel_.ndim - 1)
                                                   : b_.getInt64(lanes);
  slots_ = make_slots(schedule, w_.strip.size);
  e_.arrays.make_arrays();
  if (lanes == 0 || has_shared || kernel_.ndim == 0) {
    emit_steps(schedule, schedule.steps);
    return e_.streams.flush_streams();
  }
  llvm::Value* row_end = w_.strip.end;
  Loop strips = e_.control.open_loop(w_.strip.begin, row_end, w_.strip.size, true, "strip");
  w_.strip.begin = strips.index;
  w_.strip.end = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin,
                                          b_.CreateAdd(strips.index, w_.strip.size, "", false, true), row_end);
  if (e_.events.can_watch()) {
    e_.events.emit_watched(schedule);
  } else {
    emit_steps(schedule, schedule.steps);
    e_.streams.flush_streams();
  }
  e_.control.close_loop(strips, false);
}

/// Prefetches what the next strip reads of an operand. Lane loops between calls mostly read and would wait for memory,
/// which is idle during the calls.
void Lanes::emit_prefetch(Value load) {
  const ir::Instruction& i = kernel_.instructions[load];
  if (kernel_.buffers[i.imm].inner != ir::InnerStride::contiguous) return;
  const ir::Instruction& last = kernel_.instructions[kernel_.operands(load).back()];
  if (last.op != ir::Opcode::index || static_cast<int>(last.imm) + 1 != kernel_.ndim) return;
  llvm::Value* lane = std::exchange(w_.axis_index.back(), w_.strip.end);
  llvm::Value* row = e_.memory.element_address(i.imm, kernel_.operands(load));
  w_.axis_index.back() = lane;
  llvm::FunctionCallee prefetch = module_.getOrInsertFunction(prefetch_symbol, b_.getVoidTy(), b_.getPtrTy(), word_);
  llvm::cast<llvm::Function>(prefetch.getCallee())->addFnAttr(llvm::Attribute::NoUnwind);
  b_.CreateCall(prefetch, {row, b_.CreateMul(w_.strip.size, b_.getInt64(itemsize(i.type)))});
}

/// The arrays of a schedule's slots, with room for `lanes` elements.
std::vector<Parts> Lanes::make_slots(const Schedule& schedule, llvm::Value* lanes) {
  // Votes read and write whole warps.
  if (!schedule.asked.empty()) lanes = e_.frame.at_level(0, [&] { return b_.CreateAdd(lanes, b_.getInt64(31)); });
  std::vector<Parts> arrays, slots;
  for (DType dtype : schedule.array_types) {
    llvm::Type* type = memory_type(context_, dtype);
    Parts array{e_.frame.stack_array(type, lanes, "slot")};
    if (is_complex(dtype)) array.second = e_.frame.stack_array(type, lanes, "slot");
    arrays.push_back(array);
  }
  for (uint32_t array : schedule.array_of) slots.push_back(arrays[array]);
  return slots;
}

void Lanes::emit_steps(const Schedule& schedule, const std::vector<Step>& steps) {
  size_t calls = 0;
  for (const Step& step : steps) {
    // A few operands before each call: the number of outstanding memory requests is limited, and they complete during
    // the call.
    if (step.kind == Step::Kind::call && schedule.is_straight && element_index_ == ir::no_value) {
      for (size_t k = calls++; k < schedule.leaves.size(); k += schedule.call_count) emit_prefetch(schedule.leaves[k]);
    }
    switch (step.kind) {
      case Step::Kind::lanes: emit_lane_loop(schedule, step.group); break;
      case Step::Kind::call: e_.calls.emit_call(schedule, step.value); break;
      case Step::Kind::vote: e_.meetings.emit_vote(schedule, step.value); break;
      case Step::Kind::uniform: {
        const bool outer = std::exchange(walks_beside_lanes_, true);
        e_.values.emit_instruction(step.value);
        walks_beside_lanes_ = outer;
        break;
      }
      case Step::Kind::control:
        e_.control.emit_control(step.value, [&](int k) { emit_steps(schedule, step.inside[k]); });
        break;
    }
  }
}

llvm::Value* Lanes::lane() { return b_.CreateSub(w_.strip.lane, w_.strip.begin, "lane", false, true); }

/// Opens the loop over the lanes of a strip or, where the lanes of a block with several axes meet, one loop an axis, so
/// that the innermost is vectorised.
std::vector<Loop> Lanes::open_lanes(const LaneBounds& bounds) {
  const int axes = lane_axes(kernel_);
  if (axes == 1 || element_index_ != ir::no_value) {
    std::vector<Loop> loops{e_.control.open_loop(w_.strip.begin, w_.strip.end, b_.getInt64(1), true, "lane")};
    w_.strip.lane = loops[0].index;
    if (element_index_ == ir::no_value && kernel_.ndim > 0) w_.axis_index.back() = w_.strip.lane;
    return loops;
  }
  std::vector<Loop> loops;
  w_.strip.lane = b_.getInt64(0);
  for (int axis = kernel_.ndim - axes; axis < kernel_.ndim; ++axis) {
    llvm::Value* before = axis + axes == kernel_.ndim ? nullptr : b_.CreateMul(w_.strip.lane, e_.frame.extent(axis));
    const bool is_bounded = axis + 1 == kernel_.ndim && bounds.test != ir::no_value;
    llvm::Value* begin = is_bounded && bounds.begin ? bounds.begin : b_.getInt64(0);
    llvm::Value* end = is_bounded && bounds.end ? bounds.end : e_.frame.extent(axis);
    loops.push_back(e_.control.open_loop(begin, end, b_.getInt64(1), !is_bounded, "lane"));
    w_.axis_index[axis] = loops.back().index;
    w_.strip.lane = before ? b_.CreateAdd(before, loops.back().index, "", false, true) : loops.back().index;
  }
  return loops;
}

/// Trees of sums and first lanes that store: the rest of the block is not visited, and what is written lies apart from
/// what other lanes read.
Lanes::LaneBounds Lanes::find_bounds(const LaneGroup& group) {
  if (lane_axes(kernel_) == 1 || element_index_ != ir::no_value || !group.assignments.empty()) return {};
  Value branch = ir::no_value;
  for (Value v : group.members) {
    const ir::Instruction& i = kernel_.instructions[v];
    const bool is_first = i.op == ir::Opcode::if_ && branch == ir::no_value;
    if (is_first)
      branch = v;
    else if (!ir::is_pure(i.op) && i.op != ir::Opcode::load && i.op != ir::Opcode::load_array)
      return {};
  }
  if (branch == ir::no_value) return {};
  const ir::Instruction& taken = kernel_.instructions[branch];
  if (taken.region_count > 1 && kernel_.region(branch, 1).body.size() > 1) return {};
  if (!yielded(kernel_, kernel_.region(branch, 0)).empty()) return {};
  const Value test = kernel_.operands(branch)[0];
  const ir::Opcode op = kernel_.instructions[test].op;
  if (!ir::is_comparison(op) || op == ir::Opcode::ne) return {};
  const auto is_lane = [&](Value v) {
    const ir::Instruction& i = kernel_.instructions[v];
    return i.op == ir::Opcode::index && i.type == DType::int64 && static_cast<int>(i.imm) + 1 == kernel_.ndim;
  };
  std::span<const Value> sides = kernel_.operands(test);
  const bool is_left = is_lane(sides[0]);
  const Value other = sides[is_left ? 1 : 0];
  if (!is_left && !is_lane(sides[1])) return {};
  if (dependence_.varies(other) || std::ranges::count(group.members, other)) return {};
  const bool is_below = (is_left && (op == ir::Opcode::lt || op == ir::Opcode::le)) ||
                        (!is_left && (op == ir::Opcode::gt || op == ir::Opcode::ge));
  const bool with_equal = op == ir::Opcode::le || op == ir::Opcode::ge || op == ir::Opcode::eq;
  llvm::Value *zero = b_.getInt64(0), *one = b_.getInt64(1), *lanes = e_.frame.extent(kernel_.ndim - 1);
  llvm::Value* limit = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, get_one(other), lanes);
  limit = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, limit, b_.getInt64(-1));
  llvm::Value* behind = b_.CreateAdd(limit, one);
  LaneBounds bounds{.test = test};
  if (op == ir::Opcode::eq || !is_below)
    bounds.begin = with_equal ? b_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, limit, zero) : behind;
  if (op == ir::Opcode::eq || is_below)
    bounds.end = with_equal ? b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, behind, lanes) : limit;
  return bounds;
}

void Lanes::emit_lane_loop(const Schedule& schedule, const LaneGroup& group) {
  if (group.members.empty() && group.assignments.empty()) return;
  llvm::BasicBlock* preheader = llvm::BasicBlock::Create(context_, "", function_);
  b_.CreateBr(preheader);
  b_.SetInsertPoint(preheader);
  const LaneBounds bounds = find_bounds(group);
  e_.access_checks.enter_lanes(group.members);
  std::vector<Loop> loops = open_lanes(bounds);
  const bool is_row = element_index_ == ir::no_value;
  if (is_row) {
    e_.frame.set_row_point(preheader->getTerminator());
    w_.in_lane = true;
    schedule_ = &schedule;
  } else {
    set(element_index_, {w_.strip.lane});
  }
  if (bounds.test != ir::no_value) set(bounds.test, {b_.getTrue()});
  for (Value v : group.recomputed)
    if (v != bounds.test) e_.values.emit_instruction(v);
  for (Value v : group.inputs) set(v, load_slot(schedule.slot_of.at(v), type_of(v)));
  for (Value v : group.leaves) e_.memory.emit_load(v);
  for (Value v : group.members)
    if (v != bounds.test) e_.values.emit_instruction(v);
  emit_assignments(schedule, group);
  for (size_t k = loops.size(); k-- > 0;) e_.control.close_loop(loops[k], k + 1 == loops.size());
  if (!is_row) return;
  w_.in_lane = false;
  e_.frame.set_row_point(nullptr);
}

/// All sources are read before any slot is written: the assignments are simultaneous.
void Lanes::emit_assignments(const Schedule& schedule, const LaneGroup& group) {
  std::vector<Parts> values;
  for (const Assignment& a : group.assignments) {
    switch (a.kind) {
      case Assignment::Kind::copy: values.push_back(get(a.source)); break;
      case Assignment::Kind::start: values.push_back({e_.reductions.reduction_start(a.reduction)}); break;
      case Assignment::Kind::reduce: {
        const DType dtype = type_of(a.reduction);
        const ir::ReduceKind kind = ir::reduce_kind(kernel_.instructions[a.reduction].attr);
        values.push_back({e_.reductions.combine(kind, dtype, load_slot(a.slot, dtype).first, get_one(a.source))});
        break;
      }
    }
  }
  for (size_t k = 0; k < values.size(); ++k) {
    const Assignment& a = group.assignments[k];
    store_slot(a.slot, schedule.array_types[schedule.array_of[a.slot]], values[k]);
  }
}

Parts Lanes::load_slot(SlotId slot, DType dtype) {
  return e_.memory.load_parts(
      {b_.CreateGEP(memory_type(context_, dtype), slots_[slot].first, lane()),
       slots_[slot].second ? b_.CreateGEP(memory_type(context_, dtype), slots_[slot].second, lane()) : nullptr},
      dtype, no_buffer);
}

void Lanes::store_slot(SlotId slot, DType dtype, Parts value) {
  e_.memory.store_parts(
      {b_.CreateGEP(memory_type(context_, dtype), slots_[slot].first, lane()),
       slots_[slot].second ? b_.CreateGEP(memory_type(context_, dtype), slots_[slot].second, lane()) : nullptr},
      value, dtype, no_buffer);
}

}  // namespace tessera::codegen
