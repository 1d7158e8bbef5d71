// Reductions inside a lane: in index order, or by the fixed tree of pairwise sums.
#include "tessera/base/error.h"
#include "tessera/codegen/emit/emitter.h"
#include "tessera/codegen/emit/primitives/primitives.h"
#include "tessera/ir/builder.h"
#include "tessera/lanes/schedule/schedule.h"

#include <vector>

namespace tessera::codegen {

using ir::Opcode;
using ir::ReduceKind;
using ir::ReduceOrder;
using ir::Value;

namespace {

/// An extreme by the machine's own minimum, which knows neither NaN nor signs of zeros: whether there are NaNs and
/// which signs there are is kept apart.
class SignedExtreme {
 public:
  SignedExtreme(llvm::IRBuilder<>& b, bool is_min, llvm::Value* start)
      : b_(b),
        is_min_(is_min),
        type_(start->getType()),
        bits_(b.getIntNTy(type_->getScalarSizeInBits())),
        start_(start) {}

  /// The best element, whether there is a NaN, and the signs.
  std::vector<llvm::Value*> starts() const {
    return {start_, b_.getFalse(),
            is_min_ ? llvm::Constant::getNullValue(bits_) : llvm::Constant::getAllOnesValue(bits_)};
  }

  std::vector<llvm::Value*> step(const std::vector<llvm::Value*>& sofar, llvm::Value* element) const {
    llvm::FastMathFlags flags;
    flags.setNoNaNs();
    flags.setNoSignedZeros();
    b_.setFastMathFlags(flags);
    llvm::Value* is_better = is_min_ ? b_.CreateFCmpOLT(element, sofar[0]) : b_.CreateFCmpOGT(element, sofar[0]);
    llvm::Value* best = b_.CreateSelect(is_better, element, sofar[0]);
    if (auto* chosen = llvm::dyn_cast<llvm::SelectInst>(best)) chosen->setFastMathFlags(flags);
    b_.clearFastMathFlags();
    llvm::Value* word = b_.CreateBitCast(element, bits_);
    return {best, b_.CreateOr(sofar[1], b_.CreateFCmpUNO(element, element)),
            is_min_ ? b_.CreateOr(sofar[2], word) : b_.CreateAnd(sofar[2], word)};
  }

  llvm::Value* result(const std::vector<llvm::Value*>& ends) const {
    const llvm::APInt mask = llvm::APInt::getSignMask(bits_->getIntegerBitWidth());
    llvm::Value* zero = b_.CreateBitCast(b_.CreateAnd(ends[2], llvm::ConstantInt::get(bits_, mask)), type_);
    llvm::Value* is_zero = b_.CreateFCmpOEQ(ends[0], llvm::ConstantFP::get(type_, 0));
    return b_.CreateSelect(ends[1], llvm::ConstantFP::getNaN(type_), b_.CreateSelect(is_zero, zero, ends[0]));
  }

 private:
  llvm::IRBuilder<>& b_;
  bool is_min_;
  llvm::Type *type_, *bits_;
  llvm::Value* start_;
};

/// The best so far where the element is surely worse, else what `join` makes of both, by a branch.
template <class Join>
llvm::Value* better_of(llvm::IRBuilder<>& b, bool is_min, llvm::Value* best, llvm::Value* element, Join join) {
  llvm::Function* function = b.GetInsertBlock()->getParent();
  llvm::Value* is_worse = is_min ? b.CreateFCmpOGT(element, best) : b.CreateFCmpOLT(element, best);
  llvm::BasicBlock* compared = b.GetInsertBlock();
  llvm::BasicBlock* joins = llvm::BasicBlock::Create(b.getContext(), "", function);
  llvm::BasicBlock* next = llvm::BasicBlock::Create(b.getContext(), "", function);
  b.CreateCondBr(is_worse, next, joins);
  b.SetInsertPoint(joins);
  // No instruction, but the branch stays one.
  b.CreateIntrinsic(llvm::Intrinsic::sideeffect, {}, {});
  llvm::Value* joined = join();
  llvm::BasicBlock* join_end = b.GetInsertBlock();
  b.CreateBr(next);
  b.SetInsertPoint(next);
  llvm::PHINode* better = b.CreatePHI(element->getType(), 2);
  better->addIncoming(best, compared);
  better->addIncoming(joined, join_end);
  return better;
}

}  // namespace

llvm::Value* Reductions::combine(ReduceKind kind, DType type, llvm::Value* a, llvm::Value* b) {
  return emit_primitive(b_, ir::combining_opcode(kind), type, {a, b}, module_, math_, machine_);
}

/// A start value that combines with the first element without changing it: -0 for sums, NaN for kinds that ignore NaN.
llvm::Value* Reductions::neutral(ReduceKind kind, DType type) {
  llvm::Type* t = value_type(context_, type);
  if (t->isFloatingPointTy()) {
    if (kind == ReduceKind::add) return llvm::ConstantFP::getNegativeZero(t);
    if (kind == ReduceKind::min_num || kind == ReduceKind::max_num) return llvm::ConstantFP::getNaN(t);
  }
  return constant_of(context_, ir::identity(kind, type)).first;
}

/// The initial value, else the neutral start value, or the identity when there are no elements.
llvm::Value* Reductions::reduction_start(Value v) {
  const ir::Instruction& i = kernel_.instructions[v];
  if (i.arg_count > 2) return get_one(kernel_.operands(v)[2]);
  llvm::Value* start = neutral(ir::reduce_kind(i.attr), i.type);
  llvm::Value* empty = constant_of(context_, ir::identity(ir::reduce_kind(i.attr), i.type)).first;
  if (start == empty) return start;
  llvm::Value* runs = b_.CreateICmpSLT(get_one(kernel_.operands(v)[0]), get_one(kernel_.operands(v)[1]));
  return b_.CreateSelect(runs, start, empty);
}

/// The least or greatest float of a function's array. Few elements are compared one by one: mostly the next one is not
/// better, so that a branch is quicker than joining. Loops over more are vectorised by LLVM.
llvm::Value* Reductions::emit_extreme(Value v) {
  constexpr int64_t few = 16;
  const ir::Instruction& i = kernel_.instructions[v];
  const ReduceKind kind = ir::reduce_kind(i.attr);
  llvm::Value *lower = get_one(kernel_.operands(v)[0]), *upper = get_one(kernel_.operands(v)[1]);
  /// What a loop carries behind its last iteration; `step` makes it of what it was and of an element.
  const auto carry = [&](const std::vector<llvm::Value*>& starts, auto step) {
    llvm::BasicBlock* before = b_.GetInsertBlock();
    Loop loop = e_.control.open_loop(lower, upper, number(lower->getType(), 1), false, "extreme");
    std::vector<llvm::PHINode*> sofar;
    for (llvm::Value* start : starts) sofar.push_back(b_.CreatePHI(start->getType(), 2));
    const std::vector<llvm::Value*> next = step(std::vector<llvm::Value*>(sofar.begin(), sofar.end()),
                                                emit_reduction_element(v, ir::no_value, loop.index));
    for (size_t k = 0; k < starts.size(); ++k) {
      sofar[k]->addIncoming(starts[k], before);
      sofar[k]->addIncoming(next[k], b_.GetInsertBlock());
    }
    e_.control.close_loop(loop, true);
    std::vector<llvm::Value*> ends;
    for (size_t k = 0; k < starts.size(); ++k) {
      llvm::PHINode* end = b_.CreatePHI(starts[k]->getType(), 2);
      end->addIncoming(starts[k], before);
      end->addIncoming(next[k], loop.latch);
      ends.push_back(end);
    }
    return ends;
  };
  const auto block = [&](const char* name) { return llvm::BasicBlock::Create(context_, name, function_); };
  llvm::BasicBlock *one_by_one = block("few"), *vectors = block("many"), *done = block("");
  b_.CreateCondBr(b_.CreateICmpSLT(b_.CreateSub(upper, lower), number(lower->getType(), few)), one_by_one, vectors);
  b_.SetInsertPoint(vectors);
  const SignedExtreme extreme(b_, kind == ReduceKind::min, reduction_start(v));
  llvm::Value* of_many = extreme.result(
      carry(extreme.starts(), [&](const auto& sofar, llvm::Value* element) { return extreme.step(sofar, element); }));
  llvm::BasicBlock* many_end = b_.GetInsertBlock();
  b_.CreateBr(done);
  b_.SetInsertPoint(one_by_one);
  llvm::Value* of_few = carry({reduction_start(v)}, [&](const auto& best, llvm::Value* element) {
    return std::vector{better_of(b_, kind == ReduceKind::min, best[0], element,
                                 [&] { return combine(kind, i.type, best[0], element); })};
  })[0];
  llvm::BasicBlock* few_end = b_.GetInsertBlock();
  b_.CreateBr(done);
  b_.SetInsertPoint(done);
  llvm::PHINode* result = b_.CreatePHI(of_few->getType(), 2);
  result->addIncoming(of_many, many_end);
  result->addIncoming(of_few, few_end);
  return result;
}

void Reductions::emit_reduce(Value v) {
  const ir::Instruction& i = kernel_.instructions[v];
  const ReduceKind kind = ir::reduce_kind(i.attr);
  const bool order_matters = kind == ReduceKind::add || kind == ReduceKind::mul;
  // Integer reductions vectorise as plain loops; extremes of floats do not, so they use the tree, as any order gives
  // the same value.
  const bool is_ordered =
      i.arg_count > 2 || (is_floating(i.type) && order_matters && ir::reduce_order(i.attr) == ReduceOrder::sequential);
  // A single device thread reduces extremes in index order: it has no vectors that a tree would fill.
  const bool as_they_come = machine_.kind == Machine::Kind::device && !order_matters;
  const bool is_tree = !is_ordered && (shares_reductions() || (is_floating(i.type) && !as_they_come));
  // The threads of a lane meet at barriers in a sliced reduction, so it must not depend on a lane's control flow.
  const bool is_sliced = mapping_.slices > 1 && !is_ordered && e_.grid.is_replayable(kernel_.regions[0].body);
  const bool is_there = is_imaginary_reduction(v) && (!is_tree || shares_reductions());  // computed with the real parts
  const bool is_function_extreme = machine_.kind == Machine::Kind::host && kernel_.ndim == 0 &&
                                   (i.type == DType::float64 || i.type == DType::float32) &&
                                   (kind == ReduceKind::min || kind == ReduceKind::max) &&
                                   !has_element_calls(kernel_, v);
  if (!is_there)
    set_reduction(v, is_function_extreme ? emit_extreme(v)
                     : is_tree           ? emit_tree(v)
                     : is_sliced
                         ? emit_sliced_reduction(v)
                         : emit_reduction_range(v, get_one(kernel_.operands(v)[0]), get_one(kernel_.operands(v)[1])));
  if (e_.events.is_watching() && is_watched_reduction(i)) e_.events.watch(get_one(v));
}

/// The approximate number of instructions per pass over the region.
int Reductions::region_cost(ir::RegionId region) const {
  int cost = 0;
  for (Value v : kernel_.regions[region].body) {
    const ir::Instruction& i = kernel_.instructions[v];
    const bool is_math =
        (i.op >= Opcode::cbrt && i.op <= Opcode::lgamma) || i.op == Opcode::pow || i.op == Opcode::atan2;
    const int check = !e_.events.is_watching() ? 6 : e_.events.is_implied(v) ? 0 : 2;
    cost += is_math || i.region_count ? 40 : i.op == Opcode::check ? check : 1;
  }
  return cost;
}

/// The number of a reduction's elements that one thread loads at once.
int Reductions::reductions_at_once(Value v) const {
  const ir::Instruction& i = kernel_.instructions[v];
  const int cost = region_cost(i.first_region);
  const bool runs_seldom = w_.watches && !e_.events.is_watching();
  // Twice as many elements of complex64, so that as many bytes are in flight as for complex128.
  const bool has_short_parts = imaginary_reduction(v) != ir::no_value && i.type == DType::float32;
  return runs_seldom                         ? 1
         : mapping_.fast_compile             ? (cost <= 12 && !e_.fast_compile.has_checks(i.first_region) ? 4 : 1)
         : mapping_.slices > 1 && cost <= 12 ? 8
         : cost <= 3                         ? (has_short_parts ? 64 : 32)
         : cost <= 12                        ? 16
         : cost <= 32                        ? 4
                                             : 1;
}

/// Reduces in steps of several elements whose loads are in flight together; returns the index where the remaining
/// elements begin and the value so far.
std::pair<llvm::Value*, llvm::Value*> Reductions::emit_reductions_together(Value v, llvm::Value* lower,
                                                                           llvm::Value* upper, llvm::Value* start,
                                                                           int at_once) {
  const ir::Instruction& i = kernel_.instructions[v];
  if (at_once == 1) return {lower, start};
  llvm::Type* type = lower->getType();
  llvm::Value* whole_end = b_.CreateSub(upper, number(type, at_once - 1));
  llvm::BasicBlock* before = b_.GetInsertBlock();
  Loop loop = e_.control.open_loop(lower, whole_end, number(type, at_once), false, "together");
  const Parts total = e_.control.make_phi({start}, before);
  std::vector<llvm::Value*> elements;
  for (int k = 0; k < at_once; ++k) {
    elements.push_back(
        emit_reduction_element(v, imaginary_reduction(v), b_.CreateAdd(loop.index, number(type, k), "", true, true)));
  }
  llvm::Value* next = total.first;
  for (llvm::Value* element : elements) next = combine(ir::reduce_kind(i.attr), i.type, next, element);
  e_.control.add_incoming(total, {next}, b_.GetInsertBlock());
  llvm::Value* after = b_.CreateAdd(loop.index, number(type, at_once), "", true, true);
  e_.control.close_loop(loop, false);
  const Parts rest = e_.control.make_phi({lower}, before), result = e_.control.make_phi({start}, before);
  e_.control.add_incoming(rest, {after}, loop.latch);
  e_.control.add_incoming(result, {next}, loop.latch);
  return {rest.first, result.first};
}

/// A reduction for which any order gives the same value, split among the threads along y; all of them get the result.
llvm::Value* Reductions::emit_sliced_reduction(Value v) {
  const ir::Instruction& i = kernel_.instructions[v];
  const ReduceKind kind = ir::reduce_kind(i.attr);
  llvm::Value* slices = b_.getInt64(static_cast<uint64_t>(mapping_.slices));
  llvm::Value* lower = get_one(kernel_.operands(v)[0]);
  llvm::Value* size = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smax,
                                               b_.CreateSub(get_one(kernel_.operands(v)[1]), lower), b_.getInt64(0));
  llvm::Value* y = e_.frame.special_register(GridNumber::thread_y);
  const auto cut = [&](llvm::Value* k) { return b_.CreateAdd(lower, b_.CreateUDiv(b_.CreateMul(size, k), slices)); };
  llvm::Value* own = emit_reduction_range(v, cut(y), cut(b_.CreateAdd(y, b_.getInt64(1))));
  llvm::Type* stored = memory_type(context_, i.type);
  llvm::Value* x = e_.frame.special_register(GridNumber::thread_x);
  llvm::Value* parts = e_.frame.shared_array(stored, mapping_.slices * mapping_.threads);
  const auto place = [&](llvm::Value* k) {
    return b_.CreateGEP(stored, parts,
                        b_.CreateAdd(b_.CreateMul(k, b_.getInt64(static_cast<uint64_t>(mapping_.threads))), x));
  };
  e_.memory.store_parts({place(y)}, {own}, i.type, no_buffer);
  e_.meetings.emit_barrier();
  llvm::Value* total = nullptr;
  for (int k = 0; k < mapping_.slices; ++k) {
    llvm::Value* part = e_.memory.load_parts({place(b_.getInt64(static_cast<uint64_t>(k)))}, i.type, no_buffer).first;
    total = total ? combine(kind, i.type, total, part) : part;
  }
  e_.meetings.emit_barrier();
  return total;
}

llvm::Value* Reductions::emit_reduction_range(Value v, llvm::Value* lower, llvm::Value* upper) {
  const ir::Instruction& i = kernel_.instructions[v];
  const Value imaginary = imaginary_reduction(v);
  Parts start{reduction_start(v)};
  if (imaginary != ir::no_value) start.first = join_parts({start.first, reduction_start(imaginary)});
  if (machine_.kind == Machine::Kind::device) {
    constexpr int few = 8, many = 32;
    const int at_once = reductions_at_once(v);
    std::tie(lower, start.first) = emit_reductions_together(v, lower, upper, start.first, at_once);
    if (at_once > many) std::tie(lower, start.first) = emit_reductions_together(v, lower, upper, start.first, few);
  }
  llvm::BasicBlock* before = b_.GetInsertBlock();
  Loop loop = e_.control.open_loop(lower, upper, number(lower->getType(), 1), false, "reduce");
  const Parts total = e_.control.make_phi(start, before);
  const Parts next{
      combine(ir::reduce_kind(i.attr), i.type, total.first, emit_reduction_element(v, imaginary, loop.index))};
  e_.control.add_incoming(total, next, b_.GetInsertBlock());
  e_.control.close_loop(loop, true);
  const Parts result = e_.control.make_phi(start, before);
  e_.control.add_incoming(result, next, loop.latch);
  return result.first;
}

}  // namespace tessera::codegen
