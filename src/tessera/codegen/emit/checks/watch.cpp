// Detection of floating-point events at low cost: the lane loop only detects that an event may have happened in its
// strip. The interpreter then recomputes the strip and finds the events. The operands must still be intact: a result
// that replaces one is staged on the stack until the strip is known to have no events.
#include "tessera/codegen/emit/emitter.h"
#include "tessera/codegen/emit/symbols.h"
#include "tessera/lanes/schedule/call_depth.h"

namespace tessera::codegen {

using ir::Opcode;
using ir::Value;

/// Whether the result may overlap some operand.
bool Events::may_replace_operand(uint32_t result) const {
  for (uint32_t operand = 0; operand < kernel_.buffers.size(); ++operand)
    if (!kernel_.buffers[operand].writable && may_share_lanes(kernel_, result, operand)) return true;
  return false;
}

/// Whether the kernel is plain lane loops with checks, so that a strip may be recomputed.
bool Events::can_watch() const {
  if (kernel_.flag_slots == 0 || kernel_.ndim == 0 || !kernel_.arrays.empty() || lane_axes(kernel_) > 1) return false;
  bool has_check = false;
  for (Value v : kernel_.regions[0].body) {
    const ir::Instruction& i = kernel_.instructions[v];
    if (i.op == Opcode::barrier || dependence_.surrounds_lanes(v)) return false;
    if (!dependence_.varies(v)) continue;
    if (i.region_count || i.op == Opcode::atomic || i.op == Opcode::atomic_array) return false;
    // A second run would read what the first one stored.
    if (i.op == Opcode::load && kernel_.buffers[i.imm].writable) return false;
    if (i.op == Opcode::store && may_replace_operand(i.imm) && !e_.streams.can_stage(v)) return false;
    has_check |= i.op == Opcode::check;
  }
  return has_check;
}

/// Whether a result has the address of an operand, at run time.
llvm::Value* Events::shares_memory() {
  if (shares_memory_) return shares_memory_;
  return shares_memory_ = e_.frame.at_level(0, [&] {
    llvm::Value* any = b_.getFalse();
    for (uint32_t result = 0; result < kernel_.buffers.size(); ++result) {
      if (!kernel_.buffers[result].writable) continue;
      for (uint32_t operand = 0; operand < kernel_.buffers.size(); ++operand) {
        if (kernel_.buffers[operand].writable || !may_share_lanes(kernel_, result, operand)) continue;
        any = b_.CreateOr(any, b_.CreateICmpEQ(e_.memory.base_of(result), e_.memory.base_of(operand)));
      }
    }
    return any;
  });
}

/// A sum of x - x is 0 until an infinity or a NaN occurs, and NaN from then on. A device keeps the largest magnitude
/// instead: its integer units are idle, and chains of additions have a long latency.
void Events::watch(llvm::Value* result) {
  if (machine_.kind == Machine::Kind::device) return watch_exponent(result);
  llvm::Value* sum = result->getType()->isFloatTy() ? watch_.singles : watch_.doubles;
  llvm::Value* old = b_.CreateLoad(result->getType(), sum);
  auto* next = llvm::cast<llvm::Instruction>(b_.CreateFAdd(old, b_.CreateFSub(result, result)));
  // In any order: only whether the sum is NaN matters.
  next->setHasAllowReassoc(true);
  b_.CreateStore(next, sum);
}

namespace {
constexpr uint32_t single_infinity = 0x7f800000, double_infinity = 0x7ff00000;  // upper words
}  // namespace

void Events::watch_exponent(llvm::Value* result) {
  const bool is_single = result->getType()->isFloatTy();
  llvm::Value* bits = b_.CreateBitCast(result, is_single ? b_.getInt32Ty() : word_);
  if (!is_single) bits = b_.CreateTrunc(b_.CreateLShr(bits, 32), b_.getInt32Ty());
  llvm::Value* most = is_single ? watch_.singles : watch_.doubles;
  llvm::Value* magnitude = b_.CreateAnd(bits, 0x7fffffff);
  b_.CreateStore(b_.CreateBinaryIntrinsic(llvm::Intrinsic::umax, b_.CreateLoad(b_.getInt32Ty(), most), magnitude),
                 most);
}

/// From here on checks only detect that an event may have happened.
void Events::open_watch(std::span<const Value> members) {
  const bool by_exponent = machine_.kind == Machine::Kind::device;
  llvm::Type *single = by_exponent ? b_.getInt32Ty() : b_.getFloatTy(),
             *wide = by_exponent ? b_.getInt32Ty() : b_.getDoubleTy();
  watch_ = {e_.frame.stack_array(single, b_.getInt64(1), "singles"),
            e_.frame.stack_array(wide, b_.getInt64(1), "doubles"),
            e_.frame.stack_array(b_.getInt32Ty(), b_.getInt64(1), "others"), find_implied_checks(kernel_, members)};
  b_.CreateStore(number(single, 0), watch_.singles);
  b_.CreateStore(number(wide, 0), watch_.doubles);
  b_.CreateStore(b_.getInt32(0), watch_.others);
  is_watching_ = true;
}

/// Whether an event may have happened since open_watch().
llvm::Value* Events::close_watch() {
  is_watching_ = false;
  if (machine_.kind == Machine::Kind::device) {
    const auto reached = [&](llvm::Value* most, uint32_t infinity) {
      return b_.CreateICmpUGE(b_.CreateLoad(b_.getInt32Ty(), most), b_.getInt32(infinity));
    };
    llvm::Value* others = b_.CreateIsNotNull(b_.CreateLoad(b_.getInt32Ty(), watch_.others));
    return b_.CreateOr(b_.CreateOr(reached(watch_.singles, single_infinity), reached(watch_.doubles, double_infinity)),
                       others);
  }
  llvm::Value* singles = b_.CreateLoad(b_.getFloatTy(), watch_.singles);
  llvm::Value* doubles = b_.CreateLoad(b_.getDoubleTy(), watch_.doubles);
  llvm::Value* found = b_.CreateOr(b_.CreateFCmpUNO(singles, singles), b_.CreateFCmpUNO(doubles, doubles));
  return b_.CreateOr(found, b_.CreateIsNotNull(b_.CreateLoad(b_.getInt32Ty(), watch_.others)));
}

/// Where an event may have happened, the lane is recomputed, this time finding the events. Nothing is stored yet, so
/// the operands are intact. Its index is offset by a zero that compilers cannot know: otherwise they would keep every
/// value of the first pass for the second.
void Events::close_device_watch(llvm::Value* lane) {
  llvm::BasicBlock* exact = llvm::BasicBlock::Create(context_, "exact", function_);
  llvm::BasicBlock* quiet = llvm::BasicBlock::Create(context_, "quiet", function_);
  b_.CreateCondBr(e_.teams.in_any_thread(close_watch()), exact, quiet);
  b_.SetInsertPoint(exact);
  clear_flags();
  const std::vector<Parts> values = e_.values.all();
  w_.axis_index.back() = b_.CreateAdd(lane, e_.frame.device_zero());
  e_.grid.emit_values();
  w_.axis_index.back() = lane;
  e_.values.restore(values);
  // Raised here: kept until the end of the kernel, the events would take a register each.
  close_flags();
  b_.CreateBr(quiet);
  b_.SetInsertPoint(quiet);
}

void Events::emit_watched(const Schedule& schedule) {
  open_watch(kernel_.regions[0].body);
  e_.lanes.emit_steps(schedule, schedule.steps);
  llvm::Value* found = close_watch();
  llvm::BasicBlock* exact = llvm::BasicBlock::Create(context_, "exact", function_);
  llvm::BasicBlock* quiet = llvm::BasicBlock::Create(context_, "quiet", function_);
  llvm::BasicBlock* done = llvm::BasicBlock::Create(context_, "", function_);
  b_.CreateCondBr(found, exact, quiet);
  b_.SetInsertPoint(exact);
  call_interpreter();
  b_.CreateBr(done);
  b_.SetInsertPoint(quiet);
  e_.streams.flush_streams();
  b_.CreateBr(done);
  b_.SetInsertPoint(done);
}

/// Runs the strip in the interpreter.
void Events::call_interpreter() {
  llvm::Value* axes = b_.getInt64(kernel_.ndim);
  llvm::Value* begin = e_.frame.stack_array(word_, axes, "begin");
  llvm::Value* end = e_.frame.stack_array(word_, axes, "end");
  for (int axis = 0; axis < kernel_.ndim; ++axis) {
    const bool is_inner = axis + 1 == kernel_.ndim;
    llvm::Value* first = is_inner ? w_.strip.begin : w_.axis_index[axis];
    llvm::Value* last = is_inner ? w_.strip.end : b_.CreateAdd(first, b_.getInt64(1));
    b_.CreateStore(first, b_.CreateConstGEP1_64(word_, begin, axis));
    b_.CreateStore(last, b_.CreateConstGEP1_64(word_, end, axis));
  }
  llvm::Type* pointer = b_.getPtrTy();
  llvm::Constant* context = module_.getOrInsertGlobal(exact_context_symbol, b_.getInt8Ty());
  llvm::FunctionCallee run =
      module_.getOrInsertFunction(exact_symbol, b_.getVoidTy(), pointer, pointer, pointer, pointer);
  llvm::cast<llvm::Function>(run.getCallee())->addFnAttr(llvm::Attribute::NoUnwind);
  llvm::cast<llvm::Function>(run.getCallee())->addFnAttr(llvm::Attribute::Cold);
  b_.CreateCall(run, {context, function_->getArg(0), begin, end});
}

}  // namespace tessera::codegen
