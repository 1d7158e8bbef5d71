// Several rows per thread, of one lane: neighbouring rows of a stencil read the same elements, so a thread loads a
// column of its rows and two more instead of three times as many elements.
#include "tessera/base/error.h"
#include "tessera/codegen/emit/emitter.h"

#include <llvm/IR/IntrinsicsNVPTX.h>

namespace tessera::codegen {

using ir::Opcode;
using ir::Value;

void Emitter::open_column(const Unroll& unroll) {
  column_.clear();
  column_addresses_.clear();
  column_top_ = unroll.top;
}

/// The element that an access loads or stores, rows counted from the thread's first one; nullopt unless the access is
/// contiguous along the lanes and indexed by both axes.
std::optional<PlaceIn> Emitter::column_place(Value access) const {
  const ir::Instruction& i = kernel_.instructions[access];
  const std::span<const Value> indices = kernel_.operands(access).subspan(i.op == Opcode::store ? 1 : 0);
  if (column_row_ < 0 || mapping_.places.empty() || indices.size() != 2 || !is_run_access(access) || is_complex(i.type))
    return std::nullopt;
  for (size_t axis = 0; axis < indices.size(); ++axis) {
    const ir::Instruction& index = kernel_.instructions[indices[axis]];
    if (index.op != Opcode::index || index.imm != axis) return std::nullopt;
  }
  PlaceIn place = mapping_.places[i.imm];
  place.rows += column_row_;
  return place;
}

/// Computed by adding the stride to the address of the row above or below: an address per row, kept across a loop,
/// would take all registers.
llvm::Value* Emitter::column_address(const PlaceIn& place) {
  const auto buffer = static_cast<uint32_t>(place.buffer);
  llvm::Type* type = memory_type(context_, kernel_.buffers[buffer].dtype);
  llvm::Value*& address = column_addresses_[{place.buffer, place.rows}];
  if (!address) {
    const auto above = column_addresses_.find({place.buffer, place.rows - 1}),
               below = column_addresses_.find({place.buffer, place.rows + 1});
    llvm::Value* stride = stride_of(buffer, 0);
    if (above != column_addresses_.end()) {
      address = b_.CreateGEP(b_.getInt8Ty(), above->second, stride);
    } else if (below != column_addresses_.end()) {
      address = b_.CreateGEP(b_.getInt8Ty(), below->second, b_.CreateNeg(stride));
    } else {
      llvm::Value* row = b_.CreateAdd(column_top_, b_.getInt64(static_cast<uint64_t>(place.rows)));
      address =
          b_.CreateGEP(type, b_.CreateGEP(b_.getInt8Ty(), base_of(buffer), b_.CreateMul(row, stride)), axis_index_[1]);
    }
  }
  return place.lanes ? b_.CreateConstGEP1_64(type, address, static_cast<uint64_t>(int64_t{place.lanes})) : address;
}

/// Like close_deferred_watch(), for the lanes of a thread's rows.
void Emitter::close_column_watch(const Unroll& column, llvm::Value* lanes_end, llvm::Value* stride) {
  llvm::BasicBlock* exact = llvm::BasicBlock::Create(context_, "exact", function_);
  llvm::BasicBlock* quiet = llvm::BasicBlock::Create(context_, "quiet", function_);
  b_.CreateCondBr(close_watch(), exact, quiet);
  b_.SetInsertPoint(exact);
  for (llvm::Value* events : flags_) clear_flag(events);
  Loop lane = open_loop(b_.CreateAdd(column.first, device_zero()), lanes_end, stride, false, "again");
  Loop row = open_loop(b_.getInt64(0), b_.getInt64(static_cast<uint64_t>(column.count)), b_.getInt64(1), true, "row");
  enter_unrolled({.first = lane.index, .spacing = b_.getInt64(0), .top = column.top}, row.index);
  emit_values();
  close_loop(row, false);
  close_loop(lane, false);
  close_flags();
  b_.CreateBr(quiet);
  b_.SetInsertPoint(quiet);
}

/// The last group of rows is moved up to end at the last row: some rows are then computed twice, with the same results.
/// Boxes of fewer rows than a thread computes at once are computed row by row.
void Emitter::emit_columns(const std::vector<llvm::Value*>& begin, const std::vector<llvm::Value*>& size) {
  invariant(is_straight() && mapping_.disjoint && kernel_.ndim == 2 && !kernel_.regions[0].body.empty(),
            "codegen: several rows a thread for a kernel that orders its lanes");
  defers_watch_ = watches_;
  llvm::Value* threads = row_threads();
  llvm::Value* thread = special_register(llvm::Intrinsic::nvvm_read_ptx_sreg_tid_x);
  llvm::Value* block = special_register(llvm::Intrinsic::nvvm_read_ptx_sreg_ctaid_x);
  llvm::Value* stride =
      grid_stride(b_.CreateMul(special_register(llvm::Intrinsic::nvvm_read_ptx_sreg_nctaid_x), threads));
  llvm::Value* first = b_.CreateAdd(begin[1], b_.CreateAdd(b_.CreateMul(block, threads), thread));
  llvm::Value* lanes_end = b_.CreateAdd(begin[1], size[1]);
  llvm::Value *strip = special_register(llvm::Intrinsic::nvvm_read_ptx_sreg_ctaid_y),
              *strips = special_register(llvm::Intrinsic::nvvm_read_ptx_sreg_nctaid_y);
  const auto emit_rows = [&](int count) {
    llvm::Value* height = b_.getInt64(static_cast<uint64_t>(count));
    Loop rows =
        open_loop(b_.CreateMul(strip, height), size[0], grid_stride(b_.CreateMul(strips, height)), false, "rows");
    if (defers_watch_) open_watch(kernel_.regions[0].body);
    Unroll column{.first = first, .spacing = b_.getInt64(0), .count = count};
    column.top = b_.CreateAdd(
        begin[0], b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, rows.index, b_.CreateSub(size[0], height)));
    Loop lane = open_loop(first, lanes_end, stride, false, "lane");
    in_lane_ = true;
    Unroll own = column;
    own.first = lane.index;
    emit_unrolled(own);
    close_loop(lane, false);
    if (defers_watch_) close_column_watch(column, lanes_end, stride);
    in_lane_ = false;
    close_loop(rows, false);
  };
  llvm::BasicBlock* many = llvm::BasicBlock::Create(context_, "many", function_);
  llvm::BasicBlock* few = llvm::BasicBlock::Create(context_, "few", function_);
  llvm::BasicBlock* done = llvm::BasicBlock::Create(context_, "", function_);
  b_.CreateCondBr(b_.CreateICmpSGE(size[0], b_.getInt64(static_cast<uint64_t>(mapping_.rows))), many, few);
  b_.SetInsertPoint(many);
  emit_rows(mapping_.rows);
  b_.CreateBr(done);
  b_.SetInsertPoint(few);
  emit_rows(1);
  b_.CreateBr(done);
  b_.SetInsertPoint(done);
}

}  // namespace tessera::codegen
