// Transposed loads: a buffer that is contiguous along another axis than the lanes, such as a transposed operand, is
// read in squares of a warp's width along its own axis and transposed in shared memory, so that both sides access
// memory contiguously.
#include "tessera/base/error.h"
#include "tessera/codegen/emit/emitter.h"

#include <llvm/IR/IntrinsicsNVPTX.h>

namespace tessera::codegen {

using ir::Opcode;
using ir::Value;

namespace {

constexpr int64_t side = 32;  // of a square; threads along x
constexpr int64_t rows_of_threads = 8;
constexpr int64_t pitch = side + 1;  // odd, so that neither rows nor columns have bank conflicts

}  // namespace

bool Emitter::is_transposed(Value v) const {
  const ir::Instruction& i = kernel_.instructions[v];
  return i.op == Opcode::load && i.imm < 32 && (mapping_.transposed >> i.imm & 1);
}

/// Allocates shared memory for the elements of every transposed load.
void Emitter::make_transposed(int64_t elements) {
  for (Value v : kernel_.regions[0].body) {
    if (!is_transposed(v)) continue;
    llvm::Type* type = memory_type(context_, type_of(v));
    transposed_.emplace(
        v, Transposed{{shared_array(type, elements), is_complex(type_of(v)) ? shared_array(type, elements) : nullptr},
                      type});
  }
}

/// The thread's element of a transposed square.
Parts Emitter::load_transposed(Value v) {
  const Transposed& transposed = transposed_.at(v);
  const auto part = [&](llvm::Value* square) {
    return b_.CreateLoad(transposed.type, b_.CreateGEP(transposed.type, square, transposed_slot_));
  };
  llvm::Value* first = part(transposed.squares.first);
  return {is_boolean(type_of(v)) ? b_.CreateIsNotNull(first) : first,
          transposed.squares.second ? part(transposed.squares.second) : nullptr};
}

/// Emits every transposed load here, and collects the values with their addresses in shared memory.
void Emitter::read_transposed(llvm::Value* slot, std::vector<std::pair<llvm::Value*, llvm::Value*>>& stores) {
  for (auto& [v, transposed] : transposed_) {
    emit_load(v);
    Parts element = get(v);
    if (is_boolean(type_of(v))) element.first = b_.CreateZExt(element.first, b_.getInt8Ty());
    stores.emplace_back(element.first, b_.CreateGEP(transposed.type, transposed.squares.first, slot));
    if (element.second)
      stores.emplace_back(element.second, b_.CreateGEP(transposed.type, transposed.squares.second, slot));
  }
}

/// Reads the squares at (row, lane) for every transposed load.
void Emitter::emit_squares(llvm::Value* row, llvm::Value* lane, llvm::Value* last_row, llvm::Value* last_lane) {
  llvm::Value* x = special_register(llvm::Intrinsic::nvvm_read_ptx_sreg_tid_x);
  llvm::Value* y = special_register(llvm::Intrinsic::nvvm_read_ptx_sreg_tid_y);
  const auto clamp = [&](llvm::Value* index, llvm::Value* last) {
    return b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, index, last);
  };
  axis_index_[mapping_.transposed_axis] = clamp(b_.CreateAdd(row, x), last_row);
  std::vector<std::pair<llvm::Value*, llvm::Value*>> stores;
  for (int64_t k = 0; k < side; k += rows_of_threads) {
    llvm::Value* column = b_.CreateAdd(y, b_.getInt64(k));
    axis_index_.back() = clamp(b_.CreateAdd(lane, column), last_lane);
    read_transposed(b_.CreateAdd(b_.CreateMul(column, b_.getInt64(pitch)), x), stores);
  }
  for (auto [element, to] : stores) b_.CreateStore(element, to);
}

/// Computes the lanes of a square: four per thread, spaced by the rows of threads.
void Emitter::emit_square_lanes(llvm::Value* row, llvm::Value* lane, llvm::Value* rows_end, llvm::Value* lanes_end) {
  llvm::Value* x = special_register(llvm::Intrinsic::nvvm_read_ptx_sreg_tid_x);
  llvm::Value* y = special_register(llvm::Intrinsic::nvvm_read_ptx_sreg_tid_y);
  llvm::Value* own_lane = b_.CreateAdd(lane, x);
  for (int64_t k = 0; k < side; k += rows_of_threads) {
    llvm::Value* column = b_.CreateAdd(y, b_.getInt64(k));
    transposed_slot_ = b_.CreateAdd(b_.CreateMul(x, b_.getInt64(pitch)), column);
    llvm::Value* own_row = b_.CreateAdd(row, column);
    llvm::BasicBlock* inside = llvm::BasicBlock::Create(context_, "inside", function_);
    llvm::BasicBlock* done = llvm::BasicBlock::Create(context_, "", function_);
    b_.CreateCondBr(b_.CreateAnd(b_.CreateICmpSLT(own_row, rows_end), b_.CreateICmpSLT(own_lane, lanes_end)), inside,
                    done);
    b_.SetInsertPoint(inside);
    axis_index_[mapping_.transposed_axis] = own_row;
    emit_unrolled({.first = own_lane, .spacing = b_.getInt64(0)});
    b_.CreateBr(done);
    b_.SetInsertPoint(done);
  }
  transposed_slot_ = nullptr;
}

/// The grid over squares: along y the squares of the transposed axis times all other axes, along x the squares of the
/// lanes.
void Emitter::emit_transposed(const std::vector<llvm::Value*>& begin, const std::vector<llvm::Value*>& size) {
  invariant(is_straight() && mapping_.team == 1 && mapping_.unroll == 1,
            "codegen: transposed loads for a kernel with control flow");
  const int transposed = mapping_.transposed_axis, lanes = kernel_.ndim - 1;
  make_transposed(side * pitch);
  const auto squares = [&](int axis) {
    return b_.CreateUDiv(b_.CreateAdd(size[axis], b_.getInt64(side - 1)), b_.getInt64(side));
  };
  llvm::Value* count = squares(transposed);
  for (int axis = 0; axis < lanes; ++axis)
    if (axis != transposed) count = b_.CreateMul(count, size[axis]);
  llvm::Value* stride = special_register(llvm::Intrinsic::nvvm_read_ptx_sreg_nctaid_y);
  Loop row = open_loop(special_register(llvm::Intrinsic::nvvm_read_ptx_sreg_ctaid_y), count, grid_stride(stride), false,
                       "row");
  llvm::Value *square = row.index, *rest = nullptr;
  if (kernel_.ndim > 2) {
    square = b_.CreateURem(row.index, squares(transposed));
    rest = b_.CreateUDiv(row.index, squares(transposed));
  }
  llvm::Value* first_row = b_.CreateAdd(begin[transposed], b_.CreateMul(square, b_.getInt64(side)));
  for (int axis = lanes - 1; axis >= 0; --axis) {
    if (axis == transposed) continue;
    axis_index_[axis] = b_.CreateAdd(begin[axis], b_.CreateURem(rest, size[axis]));
    rest = b_.CreateUDiv(rest, size[axis]);
  }
  llvm::Value* step = b_.CreateMul(special_register(llvm::Intrinsic::nvvm_read_ptx_sreg_nctaid_x), b_.getInt64(side));
  llvm::Value* start = b_.CreateMul(special_register(llvm::Intrinsic::nvvm_read_ptx_sreg_ctaid_x), b_.getInt64(side));
  Loop tile = open_loop(start, size[lanes], grid_stride(step), false, "tile");
  in_lane_ = true;
  llvm::Value* first_lane = b_.CreateAdd(begin[lanes], tile.index);
  llvm::Value* rows_end = b_.CreateAdd(begin[transposed], size[transposed]);
  llvm::Value* lanes_end = b_.CreateAdd(begin[lanes], size[lanes]);
  emit_squares(first_row, first_lane, b_.CreateSub(rows_end, b_.getInt64(1)), b_.CreateSub(lanes_end, b_.getInt64(1)));
  emit_barrier();
  emit_square_lanes(first_row, first_lane, rows_end, lanes_end);
  // The next square must not overwrite what slower threads still read.
  emit_barrier();
  close_loop(tile, false);
  close_loop(row, false);
  in_lane_ = false;
}

}  // namespace tessera::codegen
