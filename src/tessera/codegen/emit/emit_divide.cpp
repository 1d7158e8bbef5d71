// Branch-free divisions of doubles on a device. Each hardware division contains a branch, which keeps the loads of
// later lanes from being issued, and takes its slow path for numerators of 0. Operands outside the range of these few
// instructions are detected, and the thread's lanes are then recomputed with the hardware division.
#include "tessera/base/format.h"
#include "tessera/codegen/emit/emitter.h"

namespace tessera::codegen {

using ir::Opcode;
using ir::Value;

bool Emitter::is_quick_division(Value v) const {
  const ir::Instruction& i = kernel_.instructions[v];
  const bool leaves_rest = i.op == Opcode::rem || i.op == Opcode::floor_div || i.op == Opcode::floor_mod;
  const bool is_quick =
      i.type == DType::float64 ? leaves_rest || i.op == Opcode::div : leaves_rest && i.type == DType::float32;
  return is_quick && dependence_.varies(v);
}

void Emitter::open_quick_divisions() {
  if (!may_divide_quickly_) return;
  if (divisors_.empty()) prepare_divisors();
  too_hard_ = stack_array(b_.getInt1Ty(), b_.getInt64(1), "too_hard");
  b_.CreateStore(b_.getFalse(), too_hard_);
}

namespace {

/// Bounds on the upper halves of doubles, which are ordered as the magnitudes are; the same bounds as in the PTX
/// assembler.
constexpr uint32_t least_numerator = 0x03600000, least_normal = 0x00100000, infinity = 0x7f800000;
constexpr uint64_t exponent_at = 20;

llvm::Value* upper_magnitude(llvm::IRBuilder<>& b, llvm::Value* x) {
  llvm::Value* upper = b.CreateTrunc(b.CreateLShr(b.CreateBitCast(x, b.getInt64Ty()), 32), b.getInt32Ty());
  return b.CreateAnd(upper, 0x7fffffff);
}

llvm::Value* fma(llvm::IRBuilder<>& b, llvm::Value* x, llvm::Value* y, llvm::Value* z) {
  return b.CreateIntrinsic(llvm::Intrinsic::fma, {x->getType()}, {x, y, z});
}

}  // namespace

/// Newton steps from the hardware approximation give the correctly rounded reciprocal, as in the PTX assembler's
/// expansion of a division.
Emitter::Divisor Emitter::make_divisor(llvm::Value* x) {
  llvm::Value* one = number(x->getType(), 1);
  llvm::Value* negative = b_.CreateFNeg(x);
  llvm::Value* guess = device::guess_reciprocal(b_, x);
  guess = b_.CreateBitCast(b_.CreateOr(b_.CreateBitCast(guess, word_), 1), x->getType());
  llvm::Value* error = fma(b_, guess, negative, one);
  llvm::Value* y = fma(b_, guess, fma(b_, error, error, error), guess);
  llvm::Value* upper = upper_magnitude(b_, x);
  llvm::Value* divides =
      b_.CreateICmpULT(b_.CreateSub(upper, b_.getInt32(least_normal)), b_.getInt32(infinity - least_normal));
  return {.reciprocal = fma(b_, y, fma(b_, y, negative, one), y),
          .divides = divides,
          .exponent = b_.CreateLShr(upper, exponent_at)};
}

/// Prepares the divisors that all lanes share, and one range of quotients that are correct for each of them: quotients
/// that are normal numbers, of numerators whose remainders are normal numbers, too.
void Emitter::prepare_divisors() {
  llvm::IRBuilderBase::InsertPointGuard guard(b_);
  b_.SetInsertPoint(hoist_point(0));
  // Biased exponents. The numerator's is the sum of the divisor's and the quotient's, minus 1023 or 1022.
  constexpr uint32_t least_sum = (least_numerator >> exponent_at) + 1023 + 3, end = infinity >> exponent_at;
  llvm::Value* least = b_.getInt32(2);
  all_divide_ = b_.getTrue();
  for (Value v : kernel_.regions[0].body) {
    if (!is_quick_division(v) || kernel_.instructions[v].op != Opcode::div) continue;
    const Value by = kernel_.operands(v)[1];
    const Opcode op = kernel_.instructions[by].op;
    if ((op != Opcode::scalar && op != Opcode::constant) || divisors_.contains(by)) continue;
    const Divisor& divisor = divisors_[by] = make_divisor(get_one(by));
    all_divide_ = b_.CreateAnd(all_divide_, divisor.divides);
    least =
        b_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, least, b_.CreateSub(b_.getInt32(least_sum), divisor.exponent));
  }
  llvm::Value* count =
      b_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, b_.getInt32(0), b_.CreateSub(b_.getInt32(end), least));
  least_quotient_ = b_.CreateShl(least, exponent_at);
  quotients_ = b_.CreateShl(count, exponent_at);
}

/// The numerator times the reciprocal, corrected by the exact remainder. A reciprocal shared by several lanes is
/// computed once. For a zero numerator the product is taken uncorrected: the correction would lose the sign of -0.
llvm::Value* Emitter::emit_quick_division(Value v) {
  if (kernel_.instructions[v].op != Opcode::div) return emit_quick_remainder(v);
  const Value by = kernel_.operands(v)[1];
  llvm::Value *a = get_one(kernel_.operands(v)[0]), *b = get_one(by);
  const auto shared = divisors_.find(by);
  const bool is_shared = shared != divisors_.end();
  const Divisor divisor = is_shared ? shared->second : make_divisor(b);
  llvm::Value* product = b_.CreateFMul(a, divisor.reciprocal);
  llvm::Value* quotient = fma(b_, divisor.reciprocal, fma(b_, product, b_.CreateFNeg(b), a), product);
  llvm::Value* is_zero = b_.CreateFCmpOEQ(a, number(a->getType(), 0));
  llvm::Value* least = is_shared ? least_quotient_ : b_.getInt32(least_normal + 1);
  llvm::Value* count = is_shared ? quotients_ : b_.getInt32(infinity - least_normal - 1);
  llvm::Value* is_right = b_.CreateICmpULT(b_.CreateSub(upper_magnitude(b_, quotient), least), count);
  if (!is_shared)
    is_right = b_.CreateAnd(is_right, b_.CreateICmpUGE(upper_magnitude(b_, a), b_.getInt32(least_numerator)));
  is_right = b_.CreateOr(is_right, is_zero);
  if (!is_shared) is_right = b_.CreateAnd(is_right, divisor.divides);
  note_too_hard(b_.CreateNot(is_right));
  return b_.CreateSelect(is_zero, product, quotient);
}

void Emitter::note_too_hard(llvm::Value* is_too_hard) {
  b_.CreateStore(b_.CreateOr(b_.CreateLoad(b_.getInt1Ty(), too_hard_), is_too_hard), too_hard_);
}

/// Division operations with a remainder, where the truncated quotient follows from a single division.
llvm::Value* Emitter::emit_quick_remainder(Value v) {
  llvm::Value* operands[] = {get_one(kernel_.operands(v)[0]), get_one(kernel_.operands(v)[1])};
  const ir::Instruction& i = kernel_.instructions[v];
  const auto call = [&](const std::string& name) {
    return b_.CreateCall(
        math_.import(format("tessera_math_{}_{}", name, i.type == DType::float64 ? "f64" : "f32"), module_), operands);
  };
  note_too_hard(b_.CreateNot(call("divides_quickly")));
  return call("quick_" + std::string(ir::name(i.op)));
}

/// Ends the quick divisions of these lanes. Where one was out of range, the lanes are computed and stored one after the
/// other, and control continues at the returned block, past the stores that the caller emits; null when there was no
/// quick division. The lane indices are offset by a zero that compilers cannot know, as in close_device_watch().
llvm::BasicBlock* Emitter::close_quick_divisions(const Unroll& unroll) {
  if (!too_hard_) return nullptr;
  llvm::Value* too_hard = b_.CreateOr(b_.CreateLoad(b_.getInt1Ty(), too_hard_), b_.CreateNot(all_divide_));
  too_hard_ = nullptr;
  llvm::BasicBlock* again = llvm::BasicBlock::Create(context_, "again", function_);
  llvm::BasicBlock* right = llvm::BasicBlock::Create(context_, "right", function_);
  llvm::BasicBlock* done = llvm::BasicBlock::Create(context_, "", function_);
  b_.CreateCondBr(too_hard, again, right);
  b_.SetInsertPoint(again);
  const Watch watch = watch_;
  const bool is_watching = is_watching_;
  may_divide_quickly_ = false;
  Unroll slowly = unroll;
  slowly.first = b_.CreateAdd(unroll.first, device_zero());
  if (unroll.count == 1) {
    enter_unrolled(slowly, b_.getInt64(0));
    emit_unrolled({.first = lane_of(slowly, b_.getInt64(0)), .spacing = b_.getInt64(0)});
  } else {
    Loop copy =
        open_loop(b_.getInt64(0), b_.getInt64(static_cast<uint64_t>(unroll.count)), b_.getInt64(1), true, "slowly");
    enter_unrolled(slowly, copy.index);
    emit_unrolled({.first = lane_of(slowly, copy.index), .spacing = b_.getInt64(0)});
    close_loop(copy, false);
  }
  may_divide_quickly_ = true;
  watch_ = watch;
  is_watching_ = is_watching;
  b_.CreateBr(done);
  b_.SetInsertPoint(right);
  return done;
}

}  // namespace tessera::codegen
