// The host's frame: loops over the box, rows cut into strips, lane loops and the slots their values cross in.
#include "tessera/codegen/emit/emitter.h"

namespace tessera::codegen {

using ir::Value;

namespace {

constexpr int64_t slot_bytes = 16 << 10;  // together with the data a strip touches, inside the first-level cache
constexpr int64_t stream_lanes = 512;
constexpr int64_t cache_line = 64;
constexpr int64_t watch_lanes = 2048;  // gone over again when an event may have happened

}  // namespace

llvm::Function* Emitter::emit_host(const char* name) {
  llvm::Type* pointer = b_.getPtrTy();
  auto* type = llvm::FunctionType::get(b_.getVoidTy(), {pointer, pointer, pointer}, false);
  llvm::Function* function = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, name, module_);
  open_function(function);
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
  open_level();
  open_flags();
  std::vector<Loop> loops;
  for (int axis = 0; axis + 1 < kernel_.ndim; ++axis) {
    loops.push_back(open_loop(begin[axis], end[axis], b_.getInt64(1), true, "axis"));
    axis_index_[axis] = loops.back().index;
    open_level();
  }
  const bool has_lanes = kernel_.ndim > 0;
  strip_begin_ = has_lanes ? begin.back() : b_.getInt64(0);
  strip_end_ = has_lanes ? end.back() : b_.getInt64(1);
  emit_row(Schedule(kernel_, dependence_));
  for (size_t k = loops.size(); k-- > 0;) close_loop(loops[k], false);
  fence_streams();
  close_flags();
  b_.CreateBr(done);
  b_.SetInsertPoint(done);
  b_.CreateRetVoid();
  return function;
}

/// How many lanes a strip has when the row must be cut, 0 when it need not.
int64_t Emitter::strip_lanes(const Schedule& schedule) const {
  int64_t bytes = 0;
  for (DType dtype : schedule.slot_types) bytes += itemsize(dtype);
  for (const ir::ArrayDecl& array : kernel_.arrays) bytes += array.shared ? 0 : array.size * itemsize(array.dtype);
  if (bytes == 0) return !streams_.empty() ? stream_lanes : can_watch(schedule) ? watch_lanes : 0;
  int64_t lanes = 2048;
  while (lanes > 16 && lanes * bytes > slot_bytes) lanes /= 2;
  return streams_.empty() ? lanes : std::min(lanes, stream_lanes);
}

void Emitter::emit_row(const Schedule& schedule) {
  bool has_shared = schedule.has_barrier;
  for (const ir::ArrayDecl& array : kernel_.arrays) has_shared |= array.shared;
  find_streams(schedule);
  const int64_t lanes = strip_lanes(schedule);
  // The lanes of a block are one row, and they meet at barriers: then the strip is the row.
  strip_size_ = has_shared && kernel_.ndim > 0 ? extent(kernel_.ndim - 1) : b_.getInt64(lanes);
  make_slots(schedule);
  make_arrays();
  if (lanes == 0 || has_shared || kernel_.ndim == 0) {
    emit_steps(schedule, schedule.steps);
    return flush_streams();
  }
  llvm::Value* row_end = strip_end_;
  Loop strips = open_loop(strip_begin_, row_end, strip_size_, true, "strip");
  strip_begin_ = strips.index;
  strip_end_ = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, b_.CreateAdd(strips.index, strip_size_, "", false, true),
                                        row_end);
  if (schedule.has_cut_functions) emit_prefetch(schedule);
  if (can_watch(schedule)) {
    emit_watched(schedule);
  } else {
    emit_steps(schedule, schedule.steps);
    flush_streams();
  }
  close_loop(strips, false);
}

/// Asks for what the next strip reads. The first of several lane loops does little but read, and would wait for memory
/// that lies idle during the others.
void Emitter::emit_prefetch(const Schedule& schedule) {
  for (const Step& step : schedule.steps) {
    for (Value v : step.group.members) {
      const ir::Instruction& i = kernel_.instructions[v];
      if (i.op != ir::Opcode::load || kernel_.buffers[i.imm].inner != ir::InnerStride::contiguous) continue;
      const ir::Instruction& last = kernel_.instructions[kernel_.operands(v).back()];
      if (last.op != ir::Opcode::index || static_cast<int>(last.imm) + 1 != kernel_.ndim) continue;
      llvm::Value* lane = std::exchange(axis_index_.back(), strip_end_);
      llvm::Value* row = element_address(i.imm, kernel_.operands(v));
      axis_index_.back() = lane;
      llvm::Value* bytes = b_.CreateMul(strip_size_, b_.getInt64(itemsize(i.type)));
      Loop lines = open_loop(b_.getInt64(0), bytes, b_.getInt64(cache_line), true, "line");
      b_.CreateIntrinsic(llvm::Intrinsic::prefetch, {b_.getPtrTy()},
                         {b_.CreateGEP(b_.getInt8Ty(), row, lines.index), b_.getInt32(0), b_.getInt32(3), b_.getInt32(1)});
      close_loop(lines, false);
    }
  }
}

void Emitter::make_slots(const Schedule& schedule) {
  for (DType dtype : schedule.slot_types) {
    llvm::Type* type = memory_type(context_, dtype);
    Parts slot{stack_array(type, strip_size_, "slot")};
    if (is_complex(dtype)) slot.second = stack_array(type, strip_size_, "slot");
    slots_.push_back(slot);
  }
}

void Emitter::emit_steps(const Schedule& schedule, const std::vector<Step>& steps) {
  for (const Step& step : steps) {
    switch (step.kind) {
      case Step::Kind::lanes: emit_lane_loop(schedule, step.group); break;
      case Step::Kind::uniform: emit_instruction(step.value); break;
      case Step::Kind::control: emit_control(step.value, [&](int k) { emit_steps(schedule, step.inside[k]); }); break;
    }
  }
}

llvm::Value* Emitter::lane() { return b_.CreateSub(lane_index_, strip_begin_, "lane", false, true); }

void Emitter::emit_lane_loop(const Schedule& schedule, const LaneGroup& group) {
  if (group.members.empty() && group.assignments.empty()) return;
  llvm::BasicBlock* preheader = llvm::BasicBlock::Create(context_, "", function_);
  b_.CreateBr(preheader);
  b_.SetInsertPoint(preheader);
  Loop loop = open_loop(strip_begin_, strip_end_, b_.getInt64(1), true, "lane");
  row_point_ = preheader->getTerminator();
  in_lane_ = true;
  lane_index_ = loop.index;
  if (kernel_.ndim > 0) axis_index_.back() = loop.index;
  for (Value v : group.inputs) set(v, load_slot(schedule.slot_of.at(v), type_of(v)));
  for (Value v : group.members) emit_instruction(v);
  emit_assignments(schedule, group);
  close_loop(loop, true);
  in_lane_ = false;
  row_point_ = nullptr;
}

/// All sources are read before any slot changes: assignments happen at once.
void Emitter::emit_assignments(const Schedule& schedule, const LaneGroup& group) {
  std::vector<Parts> values;
  for (const Assignment& a : group.assignments) {
    switch (a.kind) {
      case Assignment::Kind::copy: values.push_back(get(a.source)); break;
      case Assignment::Kind::start: values.push_back({fold_start(a.reduction)}); break;
      case Assignment::Kind::fold: {
        const DType dtype = type_of(a.reduction);
        const ir::ReduceKind kind = ir::reduce_kind(kernel_.instructions[a.reduction].attr);
        values.push_back({fold(kind, dtype, load_slot(a.slot, dtype).first, get_one(a.source))});
        break;
      }
    }
  }
  for (size_t k = 0; k < values.size(); ++k) {
    const Assignment& a = group.assignments[k];
    store_slot(a.slot, schedule.slot_types[a.slot], values[k]);
  }
}

Parts Emitter::load_slot(SlotId slot, DType dtype) {
  return load_parts(
      {b_.CreateGEP(memory_type(context_, dtype), slots_[slot].first, lane()),
       slots_[slot].second ? b_.CreateGEP(memory_type(context_, dtype), slots_[slot].second, lane()) : nullptr},
      dtype, no_buffer);
}

void Emitter::store_slot(SlotId slot, DType dtype, Parts value) {
  store_parts({b_.CreateGEP(memory_type(context_, dtype), slots_[slot].first, lane()),
               slots_[slot].second ? b_.CreateGEP(memory_type(context_, dtype), slots_[slot].second, lane()) : nullptr},
              value, dtype, no_buffer);
}

}  // namespace tessera::codegen
