// Several lanes per thread: all loads of a thread's lanes are in flight together. Where alignment allows, neighbouring
// lanes are accessed together by 16-byte accesses; else the lanes of a thread are a block apart, so that each access of
// a warp is contiguous.
#include <algorithm>

#include "tessera/base/error.h"
#include "tessera/codegen/emit/emitter.h"
#include "tessera/ir/opcode.h"

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

/// The known alignment of the address of the lane at this position of an aligned run.
int64_t Emitter::run_alignment(uint32_t buffer, int position) const {
  const int64_t item = itemsize(kernel_.buffers[buffer].dtype);
  const int64_t whole = std::min(widest_access, item * mapping_.width);
  const int64_t offset = position * item;
  return offset == 0 ? whole : std::min(whole, offset & -offset);
}

/// Whether runs that start at lane `first` are aligned in every buffer.
llvm::Value* Emitter::emit_is_aligned(llvm::Value* first) {
  axis_index_.back() = first;
  llvm::Value* low_bits = b_.getInt64(0);
  for (Value v : kernel_.regions[0].body) {
    if (!is_run_access(v)) continue;
    const ir::Instruction& i = kernel_.instructions[v];
    llvm::Value* address = element_address(i.imm, kernel_.operands(v).subspan(i.op == Opcode::store ? 1 : 0));
    const uint64_t mask = static_cast<uint64_t>(run_alignment(i.imm, 0)) - 1;
    low_bits = b_.CreateOr(low_bits, b_.CreateAnd(b_.CreatePtrToInt(address, word_), mask));
  }
  return b_.CreateICmpEQ(low_bits, b_.getInt64(0));
}

/// Whether lanes are straight-line code, so that several may be interleaved and each may be computed a second time.
bool Emitter::is_straight() const {
  for (Value v : kernel_.regions[0].body) {
    const ir::Instruction& i = kernel_.instructions[v];
    if (i.region_count || ir::sees_other_lanes(i.op) || (i.op == Opcode::load && kernel_.buffers[i.imm].writable))
      return false;
  }
  return true;
}

/// Whether lanes may be computed a second time: no control flow but reductions, and no loads of what the kernel stores.
bool Emitter::is_replayable(std::span<const Value> body) const {
  for (Value v : body) {
    const ir::Instruction& i = kernel_.instructions[v];
    if (i.op == Opcode::barrier || i.op == Opcode::atomic || (i.op == Opcode::load && kernel_.buffers[i.imm].writable))
      return false;
    if (i.op == Opcode::reduce ? !is_replayable(kernel_.region(v, 0).body) : i.region_count > 0) return false;
  }
  return true;
}

/// The index of one of a thread's lanes.
llvm::Value* Emitter::lane_of(const Unroll& unroll, llvm::Value* copy) {
  llvm::Value* width = b_.getInt64(static_cast<uint64_t>(unroll.width));
  llvm::Value* run = b_.CreateMul(b_.CreateUDiv(copy, width), unroll.spacing, "", true, true);
  return b_.CreateAdd(b_.CreateAdd(unroll.first, run, "", true, true), b_.CreateURem(copy, width), "", true, true);
}

/// Enters a lane; where two axes are flattened, lanes are counted over both.
void Emitter::enter_lane(llvm::Value* lane) {
  if (mapping_.flat == 0) {
    axis_index_.back() = lane;
    return;
  }
  llvm::Value *place = b_.CreateTrunc(lane, b_.getInt32Ty()),
              *count = b_.getInt32(static_cast<uint32_t>(mapping_.flat));
  axis_index_[kernel_.ndim - 2] = b_.CreateAdd(flat_row_, b_.CreateZExt(b_.CreateUDiv(place, count), word_));
  axis_index_.back() = b_.CreateAdd(flat_lane_, b_.CreateZExt(b_.CreateURem(place, count), word_));
}

void Emitter::enter_unrolled(const Unroll& unroll, llvm::Value* copy) { enter_lane(lane_of(unroll, copy)); }

void Emitter::emit_unrolled(const Unroll& unroll) {
  const auto enter = [&](int copy) {
    enter_unrolled(unroll, b_.getInt64(static_cast<uint64_t>(copy)));
    run_position_ = unroll.width > 1 ? copy % unroll.width : -1;
  };
  const bool watches = watches_ && !defers_watch_;
  if (watches) open_watch(kernel_.regions[0].body);
  open_quick_divisions();
  // Stores come after the values of all lanes: earlier ones would delay the loads of the lanes after them.
  std::vector<std::vector<Parts>> loaded, values;
  for (int copy = 0; copy < unroll.count; ++copy) {
    enter(copy);
    emit_next_loads();
    loaded.push_back(values_);
  }
  for (int copy = 0; copy < unroll.count; ++copy) {
    values_ = std::move(loaded[static_cast<size_t>(copy)]);
    enter(copy);
    emit_values(true);
    values.push_back(values_);
  }
  run_position_ = -1;
  llvm::BasicBlock* done = close_quick_divisions(unroll);
  if (watches) close_device_watch(unroll);
  for (int copy = 0; copy < unroll.count; ++copy) {
    values_ = std::move(values[copy]);
    enter(copy);
    for (Value v : kernel_.regions[0].body)
      if (kernel_.instructions[v].op == Opcode::store) emit_instruction(v);
  }
  run_position_ = -1;
  if (!done) return;
  b_.CreateBr(done);
  b_.SetInsertPoint(done);
}

/// Whether v is emitted before other values: loads at known positions, in bodies with branches. The PTX assembler moves
/// no load above the branches of a division or a root, so each would be waited for separately, and it does not move all
/// of them above the tests of quick divisions.
bool Emitter::goes_first(Value v) const {
  const auto has = [&](auto&& test) {
    return std::any_of(kernel_.regions[0].body.begin(), kernel_.regions[0].body.end(),
                       [&](Value w) { return test(kernel_.instructions[w]); });
  };
  return kernel_.instructions[v].op == Opcode::load && is_run_access(v) && has(branches_within);
}

/// Emits the loads that come first; those of all lanes precede the values of the first lane.
void Emitter::emit_next_loads() {
  for (Value v : kernel_.regions[0].body)
    if (goes_first(v)) emit_instruction(v);
}

/// Emits everything of a lane but its stores, and but the first loads when `loaded_next`.
void Emitter::emit_values(bool loaded_next) {
  const std::vector<Value>& body = kernel_.regions[0].body;
  if (!loaded_next) emit_next_loads();
  for (Value v : body)
    if (kernel_.instructions[v].op != Opcode::store && !goes_first(v)) emit_instruction(v);
}

/// The distribution of a row's tiles to blocks.
Emitter::Tiling Emitter::emit_tiling() {
  Tiling tiling{.thread = special_register(GridNumber::thread_x), .threads = row_threads()};
  tiling.size = b_.CreateMul(tiling.threads, b_.getInt64(static_cast<uint64_t>(mapping_.unroll)));
  tiling.start = b_.CreateMul(special_register(GridNumber::block_x), tiling.size);
  tiling.stride = grid_stride(b_.CreateMul(special_register(GridNumber::blocks_x), tiling.size));
  return tiling;
}

void Emitter::emit_tiles(llvm::Value* begin, llvm::Value* size) {
  invariant(is_straight(), "codegen: several lanes a thread for a kernel with control flow");
  const auto block = [&](const char* name) { return llvm::BasicBlock::Create(context_, name, function_); };
  const Tiling tiling = emit_tiling();
  llvm::Value *thread = tiling.thread, *threads = tiling.threads, *tile_size = tiling.size;
  llvm::Value* aligned = mapping_.width > 1 ? emit_is_aligned(begin) : nullptr;
  Loop tile = open_loop(tiling.start, size, tiling.stride, false, "tile");
  in_lane_ = true;
  llvm::Value* first = b_.CreateAdd(tile.index, begin, "", true, true);
  llvm::Value* own = b_.CreateAdd(first, thread, "", true, true);
  llvm::BasicBlock *whole = block("whole"), *edge = block("edge"), *done = block("");
  b_.CreateCondBr(b_.CreateICmpSLE(b_.CreateAdd(tile.index, tile_size), size), whole, edge);
  b_.SetInsertPoint(whole);
  const Unroll apart{.first = own, .spacing = threads, .count = mapping_.unroll};
  if (!aligned) {
    emit_unrolled(apart);
  } else {
    llvm::BasicBlock *in_runs = block("runs"), *one_by_one = block("apart");
    b_.CreateCondBr(aligned, in_runs, one_by_one);
    b_.SetInsertPoint(in_runs);
    llvm::Value* width = b_.getInt64(static_cast<uint64_t>(mapping_.width));
    emit_unrolled({.first = b_.CreateAdd(first, b_.CreateMul(thread, width, "", true, true), "", true, true),
                   .spacing = b_.CreateMul(threads, width),
                   .count = mapping_.unroll,
                   .width = mapping_.width});
    b_.CreateBr(done);
    b_.SetInsertPoint(one_by_one);
    emit_unrolled(apart);
  }
  b_.CreateBr(done);
  // The last tile of a row, lane by lane: thus the other tiles need no bounds checks.
  b_.SetInsertPoint(edge);
  Loop lane = open_loop(own, b_.CreateAdd(begin, size), grid_stride(threads), false, "lane");
  emit_unrolled({.first = lane.index, .spacing = b_.getInt64(0)});
  close_loop(lane, false);
  b_.CreateBr(done);
  b_.SetInsertPoint(done);
  close_loop(tile, false);
  in_lane_ = false;
}

}  // namespace tessera::codegen
