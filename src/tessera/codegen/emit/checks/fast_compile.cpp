// The fast-compile variant, for kernels whose first result must come soon: one lane per thread, and the body is written
// once, since the PTX assembler's time is proportional to the code. Checks of results only detect that an event may
// have happened; one loop over a table of the checks then finds the events of such a lane.
#include "tessera/codegen/address_spaces.h"
#include "tessera/codegen/emit/emitter.h"
#include "tessera/codegen/emit/primitives/primitives.h"

#include <algorithm>

namespace tessera::codegen {

using ir::ErrorRule;
using ir::Opcode;
using ir::Value;

namespace {

/// Columns of the table.
enum Column : unsigned { slot_column, rule_column, result_column, first_column, second_column, column_count };

}  // namespace

/// Division and square root as the math library spells them out: the PTX assembler takes longer for its own expansions
/// than for all the rest.
llvm::Value* FastCompile::emit_written_out(const ir::Instruction& i, Operands operands) {
  const bool is_real = i.type == DType::float32 || i.type == DType::float64;
  if (!is_real || (i.op != Opcode::div && i.op != Opcode::sqrt)) return nullptr;
  const std::string name = std::string("tessera_math_written_") + (i.op == Opcode::div ? "div" : "sqrt");
  return b_.CreateCall(math_.import(name + (i.type == DType::float32 ? "_f32" : "_f64"), module_), operands);
}

void FastCompile::emit_fast_compile_lane(llvm::Value* index) {
  w_.axis_index.back() = index;
  e_.events.open_watch(kernel_.regions[0].body);
  e_.events.stop_watching();
  e_.grid.emit_values();
  name_noted_events();
  e_.grid.emit_stores();
}

bool FastCompile::has_checks(ir::RegionId region) const {
  return std::any_of(kernel_.regions[region].body.begin(), kernel_.regions[region].body.end(), [&](Value v) {
    const ir::Instruction& i = kernel_.instructions[v];
    return i.op == Opcode::check || (i.region_count && has_checks(i.first_region));
  });
}

/// The element of a reduction. Events that its checks detected are found immediately, because the next element
/// overwrites the values.
void FastCompile::emit_element(ir::RegionId region) {
  if (!mapping_.fast_compile || !has_checks(region)) return e_.values.emit_region(region);
  Events::Watch outer = e_.events.exchange_watch({});
  std::vector<Noted> noted = std::exchange(noted_, {});
  e_.events.open_watch(kernel_.regions[region].body);
  e_.events.stop_watching();
  e_.values.emit_region(region);
  name_noted_events();
  e_.events.exchange_watch(std::move(outer));
  noted_ = std::move(noted);
}

/// Notes the check for the table; false when it must be evaluated in place.
bool FastCompile::note_check(Value v) {
  const ir::Instruction& i = kernel_.instructions[v];
  if (!tests_result(kernel_, i)) return false;
  std::span<const Value> operands = kernel_.operands(v);
  if (!e_.events.is_implied(v)) e_.events.watch(get_one(operands[0]));
  Noted noted{.slot = i.imm, .rule = static_cast<ErrorRule>(i.attr), .result = operands[0]};
  for (Value operand : operands.subspan(1))
    if (type_of(operand) == type_of(operands[0])) noted.operands.push_back(operand);
  if (noted.operands.empty() || noted.operands.size() > 2) return false;
  noted_.push_back(std::move(noted));
  return true;
}

void FastCompile::name_noted_events() {
  llvm::Value* found = e_.events.close_watch();
  if (noted_.empty()) return;
  llvm::BasicBlock* exact = llvm::BasicBlock::Create(context_, "exact", function_);
  llvm::BasicBlock* quiet = llvm::BasicBlock::Create(context_, "quiet", function_);
  b_.CreateCondBr(found, exact, quiet);
  b_.SetInsertPoint(exact);
  if (noted_.size() == 1) {
    const Noted& only = noted_.front();
    const auto wide = [&](Value v) { return b_.CreateFPExt(get_one(v), b_.getDoubleTy()); };
    name_event({.slot = b_.getInt64(only.slot),
                .rule = b_.getInt64(static_cast<uint64_t>(only.rule)),
                .result = wide(only.result),
                .first = wide(only.operands.front()),
                .second = wide(only.operands.back())});
  } else {
    name_events_by_table();
  }
  b_.CreateBr(quiet);
  b_.SetInsertPoint(quiet);
}

/// One loop over all noted checks, so that the code to find events exists once.
void FastCompile::name_events_by_table() {
  std::vector<Value> values;
  std::vector<uint16_t> table;
  const auto place_of = [&](Value v) {
    auto at = std::find(values.begin(), values.end(), v);
    if (at == values.end()) at = values.insert(at, v);
    return static_cast<uint16_t>(at - values.begin());
  };
  for (const Noted& noted : noted_)
    table.insert(table.end(),
                 {static_cast<uint16_t>(noted.slot), static_cast<uint16_t>(noted.rule), place_of(noted.result),
                  place_of(noted.operands.front()), place_of(noted.operands.back())});
  llvm::Value* places = b_.CreateAddrSpaceCast(
      e_.frame.stack_array(b_.getDoubleTy(), b_.getInt64(values.size()), "values"), b_.getPtrTy(local_memory));
  for (size_t k = 0; k < values.size(); ++k)
    b_.CreateStore(b_.CreateFPExt(get_one(values[k]), b_.getDoubleTy()),
                   b_.CreateConstGEP1_64(b_.getDoubleTy(), places, k));
  llvm::Constant* content = llvm::ConstantDataArray::get(context_, table);
  auto* rows = new llvm::GlobalVariable(module_, content->getType(), true, llvm::GlobalValue::InternalLinkage, content,
                                        "checks", nullptr, llvm::GlobalValue::NotThreadLocal, constant_memory);
  Loop check = e_.control.open_loop(b_.getInt64(0), b_.getInt64(noted_.size()), b_.getInt64(1), true, "check");
  const auto entry = [&](Column column) -> llvm::Value* {
    llvm::Value* at = b_.CreateAdd(b_.CreateMul(check.index, b_.getInt64(column_count)), b_.getInt64(column));
    return b_.CreateZExt(b_.CreateLoad(b_.getInt16Ty(), b_.CreateGEP(b_.getInt16Ty(), rows, at)), word_);
  };
  const auto value = [&](Column column) -> llvm::Value* {
    return b_.CreateLoad(b_.getDoubleTy(), b_.CreateGEP(b_.getDoubleTy(), places, entry(column)));
  };
  name_event({.slot = entry(slot_column),
              .rule = entry(rule_column),
              .result = value(result_column),
              .first = value(first_column),
              .second = value(second_column)});
  e_.control.close_loop(check, false);
  e_.control.keep_rolled(check);
}

/// Finds and raises the events of one check, as emit_check() would.
void FastCompile::name_event(const NotedValues& noted) {
  llvm::Value *result = noted.result, *x = noted.first, *y = noted.second;
  const auto is_rule = [&](ErrorRule of) -> llvm::Value* {
    const bool is_among = std::any_of(noted_.begin(), noted_.end(), [&](const Noted& one) { return one.rule == of; });
    return is_among ? b_.CreateICmpEQ(noted.rule, b_.getInt64(static_cast<uint64_t>(of))) : b_.getFalse();
  };
  llvm::Constant* zero = number(b_.getDoubleTy(), 0);
  llvm::Value* by_zero = b_.CreateAnd(is_rule(ErrorRule::divide), b_.CreateFCmpOEQ(y, zero));
  llvm::Value* of_zero =
      b_.CreateAnd(b_.CreateAnd(is_rule(ErrorRule::power), b_.CreateFCmpOEQ(x, zero)), b_.CreateFCmpOLT(y, zero));
  llvm::Value* pole = b_.CreateOr(b_.CreateOr(by_zero, of_zero), is_rule(ErrorRule::pole));
  llvm::Value* infinity = b_.CreateAnd(is_infinite(b_, result), b_.CreateAnd(is_finite(b_, x), is_finite(b_, y)));
  llvm::Value* nan = b_.CreateAnd(b_.CreateFCmpUNO(result, result), b_.CreateFCmpORD(x, y));
  llvm::Value* kind = b_.CreateSelect(pole, b_.getInt32(ir::event_divide), b_.getInt32(ir::event_overflow));
  llvm::Value* events =
      b_.CreateSelect(infinity, kind, b_.CreateSelect(nan, b_.getInt32(ir::event_invalid), b_.getInt32(0)));
  llvm::BasicBlock* raise = llvm::BasicBlock::Create(context_, "raise", function_);
  llvm::BasicBlock* next = llvm::BasicBlock::Create(context_, "", function_);
  b_.CreateCondBr(b_.CreateIsNotNull(events), raise, next);
  b_.SetInsertPoint(raise);
  llvm::Value* words = b_.CreateLoad(e_.frame.data_pointer(), e_.frame.argument_field(field_flags));
  b_.CreateAtomicRMW(llvm::AtomicRMWInst::Or, b_.CreateGEP(b_.getInt32Ty(), words, noted.slot), events,
                     llvm::MaybeAlign(4), llvm::AtomicOrdering::Monotonic);
  b_.CreateBr(next);
  b_.SetInsertPoint(next);
}

}  // namespace tessera::codegen
