// Accesses and barriers of a launch that is checked: code compares the marks of the last accesses, leaves its own, and
// calls the host where they are not plainly in order.
#include "tessera/codegen/emit/emitter.h"
#include "tessera/ir/checks.h"

namespace tessera::codegen {

using ir::CheckArrival, ir::CheckBuffer, ir::CheckCall, ir::CheckCell, ir::CheckLane, ir::CheckState;
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
    llvm::Value* block = b_.CreateAnd(b_.CreateLShr(lane_, ir::lane_bits), word(offsetof(CheckState, block_mask)));
    return b_.CreateICmpEQ(block, word(offsetof(CheckState, block)));
  }
  /// Finds the lane's own record; of the current block.
  void find_own() {
    constexpr uint32_t in_block = (1u << ir::lane_bits) - 1;
    llvm::Value* number = b_.CreateAnd(b_.CreateAnd(lane_, in_block), word(offsetof(CheckState, lane_mask)));
    own_ = place(state(offsetof(CheckState, lanes), b_.getPtrTy()), number, sizeof(CheckLane));
  }
  /// Accesses are to a buffer, whose cell this is; what the lane's block did before its last barrier is in order, too.
  void use_cell(llvm::Value* cell) {
    cell_ = cell;
    horizon_ = own(offsetof(CheckLane, grid_time));
    block_horizon_ = own(offsetof(CheckLane, block_time));
  }
  void use_array(llvm::Value* element) {
    cell_ = cell_of(element);
    horizon_ = own(offsetof(CheckLane, block_time));
  }

  /// Whether an array's element was written in this block.
  llvm::Value* is_there(llvm::Value* element) {
    cell_ = cell_of(element);
    return is_there();
  }
  /// Whether the cell was written in this block.
  llvm::Value* is_there() { return is_since(mark(offsetof(CheckCell, writer))); }
  /// Whether it was last written in order with this access.
  llvm::Value* may_read() {
    return b_.CreateAnd(comes_before(mark(offsetof(CheckCell, writer))), is_over(mark(offsetof(CheckCell, atomic))));
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
  llvm::Value* may_write(llvm::Value* value) {
    llvm::Value* is_equal = b_.CreateICmpEQ(load(b_.getInt64Ty(), cell_, offsetof(CheckCell, value)), value);
    llvm::Value* writers = b_.CreateOr(comes_before(mark(offsetof(CheckCell, writer))), is_equal);
    llvm::Value* readers = b_.CreateAnd(comes_before(mark(offsetof(CheckCell, reader))),
                                        comes_before(mark(offsetof(CheckCell, other_reader))));
    return b_.CreateAnd(b_.CreateAnd(writers, readers), is_over(mark(offsetof(CheckCell, atomic))));
  }
  /// Counts down the array's elements that nothing was written to.
  void note_set(uint32_t array) {
    llvm::Value* known =
        b_.CreateOr(is_since(mark(offsetof(CheckCell, writer))), is_since(mark(offsetof(CheckCell, atomic))));
    llvm::Value* count =
        b_.CreateConstInBoundsGEP1_64(b_.getInt64Ty(), state(offsetof(CheckState, unset), b_.getPtrTy()), array);
    llvm::Value* less = b_.CreateZExt(b_.CreateNot(known), b_.getInt64Ty());
    b_.CreateStore(b_.CreateSub(b_.CreateLoad(b_.getInt64Ty(), count), less), count);
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
  llvm::Value* word(size_t offset) { return state(offset, b_.getInt32Ty()); }
  /// The horizon of an array is the last barrier of the block, of a buffer the grid's.
  llvm::Value* is_over(llvm::Value* mark) {
    llvm::Value* is_old = b_.CreateICmpULT(time_of(mark), horizon_);
    if (!block_horizon_) return is_old;
    llvm::Value* is_own_block =
        b_.CreateICmpEQ(b_.CreateLShr(b_.CreateXor(lane_of(mark), lane_), ir::lane_bits), b_.getInt32(0));
    return b_.CreateOr(is_old, b_.CreateAnd(is_own_block, b_.CreateICmpULT(time_of(mark), block_horizon_)));
  }
  llvm::Value* comes_before(llvm::Value* mark) {
    return b_.CreateOr(is_over(mark), b_.CreateICmpEQ(lane_of(mark), lane_));
  }
  llvm::Value* is_since(llvm::Value* mark) {
    return b_.CreateICmpUGE(time_of(mark), word(offsetof(CheckState, begin)));
  }
  llvm::Value* cell_of(llvm::Value* element) {
    return place(state(offsetof(CheckState, cells), b_.getPtrTy()), element, sizeof(CheckCell));
  }
  void note(size_t mark, size_t site) {
    llvm::Value* time = b_.CreateZExt(own(offsetof(CheckLane, warp_time)), b_.getInt64Ty());
    store(b_.CreateOr(b_.CreateShl(time, 32), b_.CreateZExt(lane_, b_.getInt64Ty())), cell_, mark);
    store(b_.CreateTrunc(site_, b_.getInt16Ty()), cell_, site);
    store(site_, own_, offsetof(CheckLane, site));
  }

  llvm::IRBuilder<>& b_;
  llvm::Value *state_, *lane_, *site_;
  llvm::Value *own_ = nullptr, *cell_ = nullptr, *horizon_ = nullptr, *block_horizon_ = nullptr, *arrival_ = nullptr;
};

}  // namespace

/// Elements of shared arrays before the array's, where all sizes are known.
std::optional<int64_t> AccessChecks::first_check_cell(uint32_t array) const {
  const ir::ArrayDecl& declared = kernel_.arrays[array];
  if (!declared.shared || declared.is_dynamic()) return std::nullopt;
  int64_t first = 0;
  for (uint32_t k = 0; k < array; ++k)
    if (kernel_.arrays[k].shared && !kernel_.arrays[k].is_dynamic()) first += kernel_.arrays[k].size;
  return first;
}

bool AccessChecks::has_quick_check(Value v) const {
  constexpr int axes_of_a_launch = 6;
  if (kernel_.ndim != axes_of_a_launch || w_.is_called || machine_.kind == Machine::Kind::device) return false;
  if (kernel_.operands(v).empty()) return false;  // of lanes that run apart, whose barriers are such calls
  const uint32_t number = kernel_.instructions[v].imm, of = number >> ir::check_bits;
  switch (ir::check_of(number)) {
    case CheckCall::read_array:
    case CheckCall::read_settled_array:
    case CheckCall::write_array: return first_check_cell(of).has_value();
    case CheckCall::read_buffer:
    case CheckCall::write_buffer:
    case CheckCall::barrier: return true;
    default: return false;
  }
}

/// A word of what the launch keeps for compiled code, which stays the same; read once.
llvm::Value* AccessChecks::check_word(llvm::Type* type, int64_t offset, std::optional<int64_t> inner) {
  llvm::Value* state = e_.frame.argument_field(field_host_context);
  llvm::Value*& known = check_words_[{offset, inner.value_or(-1)}];
  if (!known)
    known = e_.frame.at_level(0, [&] {
      llvm::Type* first = inner ? b_.getPtrTy() : type;
      llvm::Value* word = b_.CreateLoad(first, b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), state, offset));
      return inner ? b_.CreateLoad(type, b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), word, *inner)) : word;
    });
  return known;
}

/// The settled reads of arrays in a loop over lanes, inside which nothing is written to these.
void AccessChecks::find_settled(Value v, std::set<uint32_t>& arrays) const {
  const ir::Instruction& i = kernel_.instructions[v];
  if (i.op == ir::Opcode::call_host && has_quick_check(v) && ir::check_of(i.imm) == CheckCall::read_settled_array)
    arrays.insert(i.imm >> ir::check_bits);
  for (int k = 0; k < i.region_count; ++k)
    for (Value inner : kernel_.region(v, k).body) find_settled(inner, arrays);
}

/// Whether all elements were written of the arrays whose reads are settled: a loop without their checks is made for
/// that. Null where there are none.
llvm::Value* AccessChecks::all_are_set(std::span<const Value> members) {
  std::set<uint32_t> arrays;
  for (Value v : members) find_settled(v, arrays);
  if (arrays.empty()) return nullptr;
  llvm::Value* block = w_.axis_index[0];
  for (int axis = 1; axis < kernel_.first_block_axis(); ++axis)
    block = b_.CreateAdd(b_.CreateMul(block, e_.frame.extent(axis)), w_.axis_index[axis]);
  llvm::Value* state = e_.frame.argument_field(field_host_context);
  const auto load = [&](llvm::Type* type, llvm::Value* from, size_t offset) {
    return b_.CreateLoad(type, b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), from, offset));
  };
  llvm::Value* all = b_.CreateICmpEQ(b_.CreateTrunc(block, b_.getInt32Ty()),
                                     load(b_.getInt32Ty(), state, offsetof(CheckState, block)));
  llvm::Value* unset = load(b_.getPtrTy(), state, offsetof(CheckState, unset));
  for (uint32_t array : arrays)
    all = b_.CreateAnd(all, b_.CreateICmpEQ(load(word_, unset, array * sizeof(int64_t)), b_.getInt64(0)));
  return all;
}

bool AccessChecks::has_settled_reads(uint32_t array) const {
  const uint32_t number = ir::check_number(CheckCall::read_settled_array, array);
  return std::ranges::any_of(
      kernel_.instructions, [&](const ir::Instruction& i) { return i.op == ir::Opcode::call_host && i.imm == number; });
}

void AccessChecks::emit_quick_check(Value v, const std::function<void()>& tell) {
  const auto block = [&](const char* name) { return llvm::BasicBlock::Create(context_, name, function_); };
  llvm::BasicBlock *told = block("told"), *noted = block("noted");
  const auto go_on_if = [&](llvm::Value* condition) {
    llvm::BasicBlock* next = block("");
    b_.CreateCondBr(condition, next, told);
    b_.SetInsertPoint(next);
  };
  const std::span<const Value> operands = kernel_.operands(v);
  const uint32_t number = kernel_.instructions[v].imm, of = number >> ir::check_bits;
  const CheckCall call = ir::check_of(number);
  CheckCode code(b_, e_.frame.argument_field(field_host_context), get_one(operands[0]));
  const auto element = [&](size_t operand) {
    return b_.CreateAdd(get_one(operands[operand]), b_.getInt64(static_cast<uint64_t>(*first_check_cell(of))));
  };
  const auto of_buffer = [&](llvm::Type* type, size_t offset) {
    return check_word(type, offsetof(CheckState, buffers), of * sizeof(CheckBuffer) + offset);
  };
  const auto is_set = [&](llvm::Value* flag) { return b_.CreateICmpNE(flag, b_.getInt8(0)); };
  const auto find_cell = [&](size_t first_index) {
    go_on_if(is_set(of_buffer(b_.getInt8Ty(), offsetof(CheckBuffer, has_cells))));
    go_on_if(code.is_current_block());
    llvm::Value* bytes = of_buffer(word_, offsetof(CheckBuffer, offset));
    for (size_t axis = 0; axis + first_index < operands.size(); ++axis)
      bytes = b_.CreateAdd(bytes, b_.CreateMul(e_.memory.as_word(operands[axis + first_index]),
                                               e_.memory.stride_of(of, static_cast<int>(axis))));
    llvm::Value* shift = b_.CreateZExt(of_buffer(b_.getInt32Ty(), offsetof(CheckBuffer, shift)), word_);
    llvm::Value* cell = b_.CreateMul(b_.CreateLShr(bytes, shift), b_.getInt64(sizeof(CheckCell)));
    code.find_own();
    code.use_cell(b_.CreateInBoundsGEP(b_.getInt8Ty(), of_buffer(b_.getPtrTy(), offsetof(CheckBuffer, cells)), cell));
  };
  const auto write = [&](llvm::Value* value) {
    go_on_if(code.may_write(value));
    if (call == CheckCall::write_array && has_settled_reads(of)) code.note_set(of);
    code.note_write(value);
  };
  switch (call) {
    case CheckCall::read_buffer:
      if (!kernel_.buffers[of].writable) {
        go_on_if(b_.CreateNot(is_set(check_word(b_.getInt8Ty(), offsetof(CheckState, tells), of))));
        break;
      }
      go_on_if(b_.CreateNot(is_set(of_buffer(b_.getInt8Ty(), offsetof(CheckBuffer, may_be_unset)))));
      find_cell(1);
      go_on_if(code.may_read());
      code.note_read();
      break;
    case CheckCall::write_buffer:
      find_cell(2);
      write(get_one(operands[1]));
      break;
    case CheckCall::read_settled_array:
      if (all_are_set_) {
        llvm::BasicBlock* looked_at = block("looked_at");
        b_.CreateCondBr(all_are_set_, noted, looked_at);
        b_.SetInsertPoint(looked_at);
      }
      go_on_if(code.is_current_block());
      go_on_if(code.is_there(element(1)));
      break;
    case CheckCall::read_array:
      go_on_if(code.is_current_block());
      code.find_own();
      code.use_array(element(1));
      go_on_if(b_.CreateAnd(code.is_there(), code.may_read()));
      code.note_read();
      break;
    case CheckCall::write_array:
      go_on_if(code.is_current_block());
      code.find_own();
      code.use_array(element(2));
      write(get_one(operands[1]));
      break;
    default:
      go_on_if(code.is_current_block());
      code.find_own();
      go_on_if(code.is_next_barrier(go_on_if));
      code.pass_barrier();
  }
  b_.CreateBr(noted);
  b_.SetInsertPoint(told);
  tell();
  b_.CreateBr(noted);
  b_.SetInsertPoint(noted);
}

}  // namespace tessera::codegen
