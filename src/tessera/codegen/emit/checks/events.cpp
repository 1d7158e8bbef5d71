// Floating-point events (status flags): predicates on values, ORed in a register and written once at the end of the
// box.
#include "tessera/base/error.h"
#include "tessera/codegen/emit/emitter.h"
#include "tessera/codegen/emit/primitives/primitives.h"

#include <algorithm>
#include <cmath>

namespace tessera::codegen {

using ir::ErrorRule;
using ir::Value;

namespace {

/// The events of one check as predicates; null where the rule never raises one.
struct Predicates {
  llvm::Value* divide = nullptr;
  llvm::Value* overflow = nullptr;
  llvm::Value* invalid = nullptr;
};

llvm::Value* all_finite(Builder& b, Operands x) {
  llvm::Value* all = b.getTrue();
  for (llvm::Value* value : x) all = b.CreateAnd(all, is_finite(b, value));
  return all;
}

/// Whether the result is NaN though no operand is.
llvm::Value* new_nan(Builder& b, llvm::Value* result, Operands x) {
  llvm::Value* operand_nan = b.CreateFCmpUNO(x[0], x.back());
  for (size_t k = 1; k + 1 < x.size(); ++k) operand_nan = b.CreateOr(operand_nan, b.CreateFCmpUNO(x[k], x[k]));
  return b.CreateAnd(b.CreateFCmpUNO(result, result), b.CreateNot(operand_nan));
}

/// Whether the result is infinite though all operands are finite.
llvm::Value* new_infinity(Builder& b, llvm::Value* result, Operands x) {
  return b.CreateAnd(is_infinite(b, result), all_finite(b, x));
}

Predicates float_events(Builder& b, ErrorRule rule, llvm::Value* result, Operands x) {
  if (x.empty()) return {.overflow = is_infinite(b, result), .invalid = b.CreateFCmpUNO(result, result)};
  Predicates events{.invalid = new_nan(b, result, x)};
  llvm::Value* infinity = new_infinity(b, result, x);
  llvm::Constant* zero = number(x[0]->getType(), 0);
  llvm::Value* pole = nullptr;
  if (rule == ErrorRule::pole) pole = b.getTrue();
  if (rule == ErrorRule::divide) pole = b.CreateFCmpOEQ(x[1], zero);
  if (rule == ErrorRule::power) pole = b.CreateAnd(b.CreateFCmpOEQ(x[0], zero), b.CreateFCmpOLT(x[1], zero));
  events.overflow = infinity;
  if (pole) {
    events.divide = b.CreateAnd(infinity, pole);
    events.overflow = b.CreateAnd(infinity, b.CreateNot(pole));
  }
  return events;
}

Predicates integer_events(Builder& b, DType dtype, llvm::Value* x, llvm::Value* y) {
  Predicates events{.divide = b.CreateICmpEQ(y, number(y->getType(), 0))};
  if (is_signed_integer(dtype)) {
    llvm::Constant* smallest =
        llvm::ConstantInt::get(x->getType(), llvm::APInt::getSignedMinValue(x->getType()->getScalarSizeInBits()));
    events.overflow = b.CreateAnd(b.CreateICmpEQ(x, smallest), b.CreateICmpEQ(y, number(y->getType(), -1)));
  }
  return events;
}

Predicates to_integer_events(Builder& b, DType to, llvm::Value* x) {
  const ir::CastRange range = ir::cast_range(to);
  llvm::Value* wide = x->getType()->isDoubleTy() ? x : b.CreateFPExt(x, b.getDoubleTy());
  llvm::Value* whole = b.CreateUnaryIntrinsic(llvm::Intrinsic::trunc, wide);
  llvm::Value* fits = b.CreateAnd(b.CreateFCmpOGE(whole, number(wide->getType(), range.first)),
                                  b.CreateFCmpOLT(whole, number(wide->getType(), range.limit)));
  return {.invalid = b.CreateNot(fits)};
}

/// Whether x is infinite, for any floating type; 16-bit types are given as their bits.
llvm::Value* is_infinite_as(Builder& b, DType dtype, llvm::Value* x) {
  if (dtype != DType::float16 && dtype != DType::bfloat16) return is_infinite(b, x);
  llvm::Constant* infinity = llvm::ConstantInt::get(x->getType(), dtype == DType::float16 ? 0x7c00 : 0x7f80);
  return b.CreateICmpEQ(b.CreateAnd(x, 0x7fff), infinity);
}

Predicates cast_events(Builder& b, DType from, DType to, llvm::Value* x, llvm::Value* result) {
  if (from != DType::float32 && from != DType::float64) return {};
  if (is_integer(to)) return to_integer_events(b, to, x);
  if (!is_floating(to)) return {};
  return {.overflow = b.CreateAnd(is_infinite_as(b, to, result), is_finite(b, x))};
}

}  // namespace

void Events::open_flags() {
  for (uint32_t slot = 0; slot < kernel_.flag_slots; ++slot) {
    flags_.push_back(e_.frame.stack_array(b_.getInt32Ty(), b_.getInt64(1), "events"));
    if (!w_.watches) clear_flag(flags_.back());
  }
}

void Events::close_flags() {
  for (uint32_t slot = 0; slot < flags_.size(); ++slot) {
    llvm::Value* events = b_.CreateLoad(b_.getInt32Ty(), flags_[slot], has_many_flags());
    llvm::BasicBlock* raise = llvm::BasicBlock::Create(context_, "raise", function_);
    llvm::BasicBlock* next = llvm::BasicBlock::Create(context_, "", function_);
    b_.CreateCondBr(b_.CreateIsNotNull(events), raise, next);
    b_.SetInsertPoint(raise);
    llvm::Value* words = e_.frame.argument_field(field_flags);
    if (machine_.kind == Machine::Kind::device) words = b_.CreateLoad(e_.frame.data_pointer(), words);
    llvm::Value* word = b_.CreateConstGEP1_64(b_.getInt32Ty(), words, slot);
    b_.CreateAtomicRMW(llvm::AtomicRMWInst::Or, word, events, llvm::MaybeAlign(4), llvm::AtomicOrdering::Monotonic);
    b_.CreateBr(next);
    b_.SetInsertPoint(next);
  }
}

/// Whether the event words are accessed as volatile, so that they stay in memory: on a device, where the code that sets
/// them seldom runs, many words would take as many registers from the rest.
bool Events::has_many_flags() const {
  constexpr size_t few = 16;
  return machine_.kind == Machine::Kind::device && (w_.watches || mapping_.exact_grid) && flags_.size() > few;
}

/// Whether checks stand in the region itself, or in loops there.
bool Events::raises_events(ir::RegionId region) const {
  return std::ranges::any_of(kernel_.regions[region].body, [&](Value v) {
    const ir::Instruction& i = kernel_.instructions[v];
    if (i.op == ir::Opcode::check) return true;
    if (i.op == ir::Opcode::if_) return false;
    for (ir::RegionId k = 0; k < i.region_count; ++k)
      if (raises_events(i.first_region + k)) return true;
    return false;
  });
}

/// The events of a branch are raised at its end: kept until the end of the kernel, they would take a register each.
void Events::raise_inside(const std::function<void()>& inside) {
  std::vector<llvm::Value*> before;
  for (llvm::Value* events : flags_) {
    before.push_back(b_.CreateLoad(b_.getInt32Ty(), events, has_many_flags()));
    clear_flag(events);
  }
  inside();
  close_flags();
  for (size_t slot = 0; slot < flags_.size(); ++slot) b_.CreateStore(before[slot], flags_[slot], has_many_flags());
}

void Events::clear_flag(llvm::Value* events) { b_.CreateStore(b_.getInt32(0), events, has_many_flags()); }

void Events::emit_check(Value v) {
  const ir::Instruction& i = kernel_.instructions[v];
  const ErrorRule rule = static_cast<ErrorRule>(i.attr);
  if (rule == ErrorRule::none || is_quiet_ || (mapping_.fast_compile && e_.fast_compile.note_check(v))) return;
  if (is_watching_ && watch_.implied.contains(v)) return;
  std::span<const Value> operands = kernel_.operands(v);
  const DType to = type_of(operands[0]);
  llvm::Value* result = get_one(operands[0]);
  const bool is_float_rule =
      rule != ErrorRule::cast && rule != ErrorRule::integer_divide && result->getType()->isFloatingPointTy();
  if (is_watching_ && is_float_rule) return watch(result);
  llvm::SmallVector<llvm::Value*, 3> x;
  // An operand of another type, such as an integer exponent, is never NaN or infinite.
  for (Value operand : operands.subspan(1)) {
    const bool has_parts = is_complex(type_of(operand)) && real_dtype(type_of(operand)) == to;
    if (rule == ErrorRule::cast || rule == ErrorRule::integer_divide || type_of(operand) == to || has_parts)
      x.push_back(get_one(operand));
    if (has_parts) x.push_back(get(operand).second);
  }
  Predicates events;
  if (rule == ErrorRule::integer_divide) {
    events = integer_events(b_, type_of(operands[1]), x[0], x[1]);
  } else if (rule == ErrorRule::cast) {
    events = cast_events(b_, type_of(operands[1]), to, x[0], result);
  } else if (is_float_rule) {
    events = float_events(b_, rule, result, x);
  }
  llvm::Value* found = b_.getInt32(0);
  for (auto [predicate, bit] : {std::pair{events.divide, ir::event_divide},
                                {events.overflow, ir::event_overflow},
                                {events.invalid, ir::event_invalid}})
    if (predicate) found = b_.CreateOr(found, b_.CreateSelect(predicate, b_.getInt32(bit), b_.getInt32(0)));
  llvm::Value* into = is_watching_ ? watch_.others : flags_[i.imm];
  const bool in_memory = !is_watching_ && has_many_flags();
  b_.CreateStore(b_.CreateOr(b_.CreateLoad(b_.getInt32Ty(), into, in_memory), found), into, in_memory);
}

}  // namespace tessera::codegen
