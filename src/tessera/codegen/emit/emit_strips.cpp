// Transposed loads where the lanes, or the rows of the transposed axis, are too few for squares: a block covers the
// whole short axis and as much of the long one as it has threads. Operands are contiguous along one of the two axes,
// results along the other, so each is traversed in the order of its memory, and the elements are kept in shared memory
// in between.
#include "tessera/base/error.h"
#include "tessera/codegen/emit/emitter.h"

#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/IntrinsicsNVPTX.h>

namespace tessera::codegen {

using ir::Value;

namespace {

constexpr int64_t threads = 256;

}  // namespace

/// The index of the thread in its block. Before compute capability 75, which introduced uniform registers, it is read
/// again in every strip: indices kept from strip to strip took the registers of the elements.
llvm::Value* Emitter::own_thread() {
  if (mapping_.capability >= 75)
    return b_.CreateTrunc(special_register(llvm::Intrinsic::nvvm_read_ptx_sreg_tid_x), b_.getInt32Ty());
  auto* type = llvm::FunctionType::get(b_.getInt32Ty(), false);
  return b_.CreateCall(type, llvm::InlineAsm::get(type, "mov.u32 $0, %tid.x;", "=r", true));
}

/// The thread's element in this iteration: one index of the short axis after the other, or (`by_memory`) neighbours in
/// memory that is contiguous along the short axis. The pitch in shared memory is odd, so that threads at neighbouring
/// indices of the long axis access different banks.
Emitter::StripElement Emitter::strip_element(bool by_memory, int64_t turn) {
  llvm::Value* thread = own_thread();
  const auto number = [&](int64_t value) { return b_.getInt32(static_cast<uint32_t>(value)); };
  llvm::Value *along = thread, *across = number(turn);
  if (by_memory) {
    llvm::Value* place = b_.CreateAdd(thread, number(turn * threads));
    along = b_.CreateUDiv(place, number(mapping_.short_extent));
    across = b_.CreateURem(place, number(mapping_.short_extent));
  }
  llvm::Value* slot = b_.CreateAdd(b_.CreateMul(along, number(mapping_.short_extent | 1)), across);
  return {b_.CreateZExt(along, word_), b_.CreateZExt(across, word_), b_.CreateZExt(slot, word_)};
}

/// Reads a strip for every transposed load, and computes its lanes.
void Emitter::emit_strip(llvm::Value* first, llvm::Value* end, llvm::Value* short_begin) {
  const int lanes = kernel_.ndim - 1, short_axis = mapping_.short_axis;
  const int long_axis = short_axis == lanes ? mapping_.transposed_axis : lanes;
  const bool reads_by_memory = short_axis != lanes;
  std::vector<std::pair<llvm::Value*, llvm::Value*>> stores;
  for (int64_t turn = 0; turn < mapping_.short_extent; ++turn) {
    const StripElement element = strip_element(reads_by_memory, turn);
    llvm::Value* last = b_.CreateSub(end, b_.getInt64(1));
    axis_index_[long_axis] = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, b_.CreateAdd(first, element.along), last);
    axis_index_[short_axis] = b_.CreateAdd(short_begin, element.across);
    read_transposed(element.slot, stores);
  }
  for (auto [value, to] : stores) b_.CreateStore(value, to);
  emit_barrier();
  for (int64_t turn = 0; turn < mapping_.short_extent; ++turn) {
    const StripElement element = strip_element(!reads_by_memory, turn);
    llvm::Value* own = b_.CreateAdd(first, element.along);
    llvm::BasicBlock* inside = llvm::BasicBlock::Create(context_, "inside", function_);
    llvm::BasicBlock* done = llvm::BasicBlock::Create(context_, "", function_);
    b_.CreateCondBr(b_.CreateICmpSLT(own, end), inside, done);
    b_.SetInsertPoint(inside);
    transposed_slot_ = element.slot;
    axis_index_[long_axis] = own;
    axis_index_[short_axis] = b_.CreateAdd(short_begin, element.across);
    emit_unrolled({.first = axis_index_.back(), .spacing = b_.getInt64(0)});
    transposed_slot_ = nullptr;
    b_.CreateBr(done);
    b_.SetInsertPoint(done);
  }
}

/// The grid: along x strips of the long axis, along y all axes but the long and the short one.
void Emitter::emit_strips(const std::vector<llvm::Value*>& begin, const std::vector<llvm::Value*>& size) {
  invariant(is_straight() && mapping_.team == 1 && mapping_.unroll == 1,
            "codegen: transposed loads for a kernel with control flow");
  const int lanes = kernel_.ndim - 1, short_axis = mapping_.short_axis;
  const int long_axis = short_axis == lanes ? mapping_.transposed_axis : lanes;
  make_transposed(threads * (mapping_.short_extent | 1));
  llvm::Value* count = b_.getInt64(1);
  for (int axis = 0; axis < lanes; ++axis)
    if (axis != mapping_.transposed_axis) count = b_.CreateMul(count, size[axis]);
  llvm::Value* rows = special_register(llvm::Intrinsic::nvvm_read_ptx_sreg_nctaid_y);
  Loop row =
      open_loop(special_register(llvm::Intrinsic::nvvm_read_ptx_sreg_ctaid_y), count, grid_stride(rows), false, "row");
  llvm::Value* rest = row.index;
  for (int axis = lanes - 1; axis >= 0; --axis) {
    if (axis == mapping_.transposed_axis) continue;
    axis_index_[axis] = b_.CreateAdd(begin[axis], b_.CreateURem(rest, size[axis]));
    rest = b_.CreateUDiv(rest, size[axis]);
  }
  llvm::Value* width = b_.getInt64(threads);
  llvm::Value* start = b_.CreateMul(special_register(llvm::Intrinsic::nvvm_read_ptx_sreg_ctaid_x), width);
  llvm::Value* step = b_.CreateMul(special_register(llvm::Intrinsic::nvvm_read_ptx_sreg_nctaid_x), width);
  Loop strip = open_loop(start, size[long_axis], grid_stride(step), false, "strip");
  in_lane_ = true;
  emit_strip(b_.CreateAdd(begin[long_axis], strip.index), b_.CreateAdd(begin[long_axis], size[long_axis]),
             begin[short_axis]);
  // The next strip must not overwrite what slower threads still read.
  emit_barrier();
  close_loop(strip, false);
  close_loop(row, false);
  in_lane_ = false;
}

}  // namespace tessera::codegen
