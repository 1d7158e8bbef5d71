// Accesses and barriers of a launch that is checked: code compares the marks of the last accesses, leaves its own, and
// calls the host where they are not plainly in order.
#include "tessera/codegen/emit/emitter.h"
#include "tessera/ir/checks.h"

namespace tessera::codegen {

using ir::CheckArrival, ir::CheckCall, ir::CheckCell, ir::CheckLane, ir::CheckState;
using ir::Value;

namespace {

/// The words of a call, and where the launch's state is.
class CheckCode {
 public:
  CheckCode(llvm::IRBuilder<>& b, llvm::Value* state, llvm::Value* lane_and_site)
      : b_(b),
        state_(state),
        lane_(b.CreateTrunc(lane_and_site, b.getInt32Ty())),
        site_(b.CreateTrunc(b.CreateLShr(lane_and_site, ir::site_shift), b.getInt32Ty())) {}

  llvm::Value* state(size_t offset, llvm::Type* type) { return load(type, state_, offset); }
  llvm::Value* is_current_block() {
    llvm::Value* block = b_.CreateLShr(lane_, ir::lane_bits);
    return b_.CreateICmpEQ(block, state(offsetof(CheckState, block), b_.getInt32Ty()));
  }
  /// Finds the lane's own record; of the current block.
  void find_own() {
    constexpr uint32_t in_block = (1u << ir::lane_bits) - 1;
    own_ = place(state(offsetof(CheckState, lanes), b_.getPtrTy()), b_.CreateAnd(lane_, in_block), sizeof(CheckLane));
  }

  /// Whether an array's element was written in this block.
  llvm::Value* is_there(llvm::Value* element) {
    cell_ = cell_of(element);
    return is_there();
  }
  /// Whether it is there and was last written in order with this access.
  llvm::Value* may_read(llvm::Value* element) {
    find(element);
    llvm::Value* is_in_order =
        b_.CreateAnd(comes_before(mark(offsetof(CheckCell, writer))), is_over(mark(offsetof(CheckCell, atomic))));
    return b_.CreateAnd(is_there(), is_in_order);
  }
  void note_read() {
    llvm::Value* before = mark(offsetof(CheckCell, reader));
    llvm::Value* is_other = b_.CreateICmpNE(lane_of(before), lane_);
    llvm::Value* site_before = load(b_.getInt16Ty(), cell_, offsetof(CheckCell, reader_site));
    llvm::Value* other = mark(offsetof(CheckCell, other_reader));
    llvm::Value* other_site = load(b_.getInt16Ty(), cell_, offsetof(CheckCell, other_site));
    store(b_.CreateSelect(is_other, before, other), cell_, offsetof(CheckCell, other_reader));
    store(b_.CreateSelect(is_other, site_before, other_site), cell_, offsetof(CheckCell, other_site));
    note(offsetof(CheckCell, reader), offsetof(CheckCell, reader_site));
  }

  /// Whether nobody who is not in order with this lane has read or written the element; writers of the same value may.
  llvm::Value* may_write(llvm::Value* element, llvm::Value* value) {
    find(element);
    llvm::Value* is_equal = b_.CreateICmpEQ(load(b_.getInt64Ty(), cell_, offsetof(CheckCell, value)), value);
    llvm::Value* writers = b_.CreateOr(comes_before(mark(offsetof(CheckCell, writer))), is_equal);
    llvm::Value* readers = b_.CreateAnd(comes_before(mark(offsetof(CheckCell, reader))),
                                        comes_before(mark(offsetof(CheckCell, other_reader))));
    return b_.CreateAnd(b_.CreateAnd(writers, readers), is_over(mark(offsetof(CheckCell, atomic))));
  }
  void note_write(llvm::Value* value) {
    store(value, cell_, offsetof(CheckCell, value));
    note(offsetof(CheckCell, writer), offsetof(CheckCell, writer_site));
  }

  /// Whether others came to the lane's next barrier already, and it is this one; reads its arrival only then.
  llvm::Value* is_next_barrier(const std::function<void(llvm::Value*)>& go_on_if) {
    llvm::Value* count = b_.CreateZExt(own(offsetof(CheckLane, barriers)), b_.getInt64Ty());
    go_on_if(b_.CreateICmpULT(count, state(offsetof(CheckState, arrival_count), b_.getInt64Ty())));
    arrival_ = place(state(offsetof(CheckState, arrivals), b_.getPtrTy()), count, sizeof(CheckArrival));
    return b_.CreateICmpEQ(load(b_.getInt32Ty(), arrival_, offsetof(CheckArrival, site)), site_);
  }
  void pass_barrier() {
    llvm::Value* time = load(b_.getInt32Ty(), arrival_, offsetof(CheckArrival, time));
    store(b_.CreateAdd(own(offsetof(CheckLane, barriers)), b_.getInt32(1)), own_, offsetof(CheckLane, barriers));
    store(time, own_, offsetof(CheckLane, block_time));
    store(time, own_, offsetof(CheckLane, warp_time));
    store(site_, own_, offsetof(CheckLane, site));
  }

 private:
  llvm::Value* load(llvm::Type* type, llvm::Value* from, size_t offset) {
    return b_.CreateLoad(type, b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), from, offset));
  }
  void store(llvm::Value* value, llvm::Value* to, size_t offset) {
    b_.CreateStore(value, b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), to, offset));
  }
  llvm::Value* place(llvm::Value* first, llvm::Value* number, size_t bytes) {
    llvm::Value* wide = b_.CreateZExt(number, b_.getInt64Ty());
    return b_.CreateInBoundsGEP(b_.getInt8Ty(), first, b_.CreateMul(wide, b_.getInt64(bytes)));
  }
  llvm::Value* own(size_t offset) { return load(b_.getInt32Ty(), own_, offset); }
  llvm::Value* mark(size_t offset) { return load(b_.getInt64Ty(), cell_, offset); }
  llvm::Value* lane_of(llvm::Value* mark) { return b_.CreateTrunc(mark, b_.getInt32Ty()); }
  llvm::Value* time_of(llvm::Value* mark) { return b_.CreateTrunc(b_.CreateLShr(mark, 32), b_.getInt32Ty()); }
  /// The horizon is the last barrier of the block.
  llvm::Value* is_over(llvm::Value* mark) { return b_.CreateICmpULT(time_of(mark), horizon_); }
  llvm::Value* comes_before(llvm::Value* mark) {
    return b_.CreateOr(is_over(mark), b_.CreateICmpEQ(lane_of(mark), lane_));
  }
  llvm::Value* is_there() {
    return b_.CreateICmpUGE(time_of(mark(offsetof(CheckCell, writer))),
                            state(offsetof(CheckState, begin), b_.getInt32Ty()));
  }
  llvm::Value* cell_of(llvm::Value* element) {
    return place(state(offsetof(CheckState, cells), b_.getPtrTy()), element, sizeof(CheckCell));
  }
  void find(llvm::Value* element) {
    cell_ = cell_of(element);
    horizon_ = own(offsetof(CheckLane, block_time));
  }
  void note(size_t mark, size_t site) {
    llvm::Value* time = b_.CreateZExt(own(offsetof(CheckLane, warp_time)), b_.getInt64Ty());
    store(b_.CreateOr(b_.CreateShl(time, 32), b_.CreateZExt(lane_, b_.getInt64Ty())), cell_, mark);
    store(b_.CreateTrunc(site_, b_.getInt16Ty()), cell_, site);
    store(site_, own_, offsetof(CheckLane, site));
  }

  llvm::IRBuilder<>& b_;
  llvm::Value *state_, *lane_, *site_;
  llvm::Value *own_ = nullptr, *cell_ = nullptr, *horizon_ = nullptr, *arrival_ = nullptr;
};

}  // namespace

/// Elements of shared arrays before the array's, where all sizes are known.
std::optional<int64_t> Emitter::first_check_cell(uint32_t array) const {
  const ir::ArrayDecl& declared = kernel_.arrays[array];
  if (!declared.shared || declared.is_dynamic()) return std::nullopt;
  int64_t first = 0;
  for (uint32_t k = 0; k < array; ++k)
    if (kernel_.arrays[k].shared && !kernel_.arrays[k].is_dynamic()) first += kernel_.arrays[k].size;
  return first;
}

bool Emitter::has_quick_check(Value v) const {
  constexpr int axes_of_a_launch = 6;
  if (kernel_.ndim != axes_of_a_launch || is_called_ || machine_.kind == Machine::Kind::nvptx) return false;
  const uint32_t number = kernel_.instructions[v].imm, of = number >> ir::check_bits;
  switch (ir::check_of(number)) {
    case CheckCall::read_array:
    case CheckCall::read_settled_array:
    case CheckCall::write_array: return first_check_cell(of).has_value();
    case CheckCall::read_buffer: return !kernel_.buffers[of].writable;
    case CheckCall::barrier: return true;
    default: return false;
  }
}

void Emitter::emit_quick_check(Value v, const std::function<void()>& tell) {
  const auto block = [&](const char* name) { return llvm::BasicBlock::Create(context_, name, function_); };
  llvm::BasicBlock *told = block("told"), *noted = block("noted");
  const auto go_on_if = [&](llvm::Value* condition) {
    llvm::BasicBlock* next = block("");
    b_.CreateCondBr(condition, next, told);
    b_.SetInsertPoint(next);
  };
  const std::span<const Value> operands = kernel_.operands(v);
  const uint32_t number = kernel_.instructions[v].imm, of = number >> ir::check_bits;
  llvm::Value* state = b_.CreateLoad(
      b_.getPtrTy(), b_.CreateConstInBoundsGEP1_64(word_, function_->getArg(0), field_host_context), "checks");
  CheckCode code(b_, state, get_one(operands[0]));
  const auto element = [&](size_t operand) {
    return b_.CreateAdd(get_one(operands[operand]), b_.getInt64(static_cast<uint64_t>(*first_check_cell(of))));
  };
  const CheckCall call = ir::check_of(number);
  if (call == CheckCall::read_buffer) {
    llvm::Value* tells = code.state(offsetof(CheckState, tells), b_.getPtrTy());
    llvm::Value* one = b_.CreateLoad(b_.getInt8Ty(), b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), tells, of));
    go_on_if(b_.CreateICmpEQ(one, b_.getInt8(0)));
  } else if (call == CheckCall::read_settled_array) {
    go_on_if(code.is_current_block());
    go_on_if(code.is_there(element(1)));
  } else {
    go_on_if(code.is_current_block());
    code.find_own();
    if (call == CheckCall::read_array) {
      go_on_if(code.may_read(element(1)));
      code.note_read();
    } else if (call == CheckCall::write_array) {
      go_on_if(code.may_write(element(2), get_one(operands[1])));
      code.note_write(get_one(operands[1]));
    } else {
      go_on_if(code.is_next_barrier(go_on_if));
      code.pass_barrier();
    }
  }
  b_.CreateBr(noted);
  b_.SetInsertPoint(told);
  tell();
  b_.CreateBr(noted);
  b_.SetInsertPoint(noted);
}

}  // namespace tessera::codegen
