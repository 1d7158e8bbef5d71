// Loops whose step only a launch or call knows, four iterations at a time. On a device, where it is a number of
// threads, their loads are under way together; on the host, where they store bytes, LLVM's passes leave them as they
// are (advise_loops.h).
#include <algorithm>

#include "tessera/codegen/emit/emitter.h"

namespace tessera::codegen {

using ir::Opcode;
using ir::Value;

namespace {

constexpr int iterations_at_once = 4;
constexpr size_t longest_body = 48;

/// Whether the value is an extent, or a product of two.
bool counts_threads(const ir::Kernel& kernel, Value v) {
  const ir::Instruction& i = kernel.instructions[v];
  if (i.op == Opcode::extent) return true;
  if (i.op != Opcode::mul) return false;
  for (Value factor : kernel.operands(v))
    if (kernel.instructions[factor].op != Opcode::extent) return false;
  return true;
}

/// Whether the loop's body only computes and accesses memory.
bool is_straight_body(const ir::Kernel& kernel, const ir::Region& body) {
  return body.body.size() <= longest_body && std::ranges::none_of(body.body, [&](Value v) {
           const ir::Instruction& i = kernel.instructions[v];
           return i.region_count > 0 || (i.op >= Opcode::barrier && i.op <= Opcode::call_host);
         });
}

bool loads_something(const ir::Kernel& kernel, const ir::Region& body) {
  return std::ranges::any_of(body.body, [&](Value v) { return kernel.instructions[v].op == Opcode::load; });
}

/// Whether the body stores elements that no instruction scatters.
bool stores_bytes(const ir::Kernel& kernel, const ir::Region& body) {
  return std::ranges::any_of(body.body, [&](Value v) {
    const ir::Instruction& i = kernel.instructions[v];
    return i.op == Opcode::store && itemsize(kernel.buffers[i.imm].dtype) < 4;
  });
}

}  // namespace

llvm::Value* Control::emit_in_a_row(Value v, int64_t iterations, llvm::Value* index, llvm::Value* step,
                                    std::vector<Parts>& carried, const Inside& inside) {
  const ir::Region& body = kernel_.region(v, 0);
  for (int64_t k = 0; k < iterations; ++k) {
    set(body.arg_values[0], {index});
    for (size_t c = 0; c < carried.size(); ++c) set(body.arg_values[1 + c], carried[c]);
    inside(0);
    for (size_t c = 0; c < carried.size(); ++c) carried[c] = get(yielded(kernel_, body)[c]);
    index = b_.CreateAdd(index, step, "", false, true);
  }
  return index;
}

bool Control::strides_over_threads(Value v) const {
  return w_.in_lane && mapping_.exact_grid && machine_.kind == Machine::Kind::device &&
         counts_threads(kernel_, kernel_.operands(v)[2]) && is_straight_body(kernel_, kernel_.region(v, 0)) &&
         loads_something(kernel_, kernel_.region(v, 0));
}

llvm::Value* Control::emit_strided(Value v, llvm::Value* lower, llvm::Value* upper, llvm::Value* step,
                                   std::vector<Parts>& carried, const Inside& inside) {
  llvm::BasicBlock* before = b_.GetInsertBlock();
  llvm::BasicBlock* header = llvm::BasicBlock::Create(context_, "strided", function_);
  llvm::BasicBlock* several = llvm::BasicBlock::Create(context_, "", function_);
  llvm::BasicBlock* rest = llvm::BasicBlock::Create(context_, "", function_);
  llvm::Value* last = b_.CreateMul(step, number(step->getType(), iterations_at_once - 1));
  // What follows the four iterations is an int64.
  const auto most = llvm::APInt::getSignedMaxValue(step->getType()->getIntegerBitWidth());
  upper = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, upper,
                                   b_.CreateSub(llvm::ConstantInt::get(step->getType(), most), step));
  b_.CreateBr(header);
  b_.SetInsertPoint(header);
  const Parts index = make_phi({lower}, before);
  for (Parts& one : carried) one = make_phi(one, before);
  // Below `upper` the difference is the right one as an unsigned number.
  llvm::Value* fits = b_.CreateICmpUGT(b_.CreateSub(upper, index.first), last);
  b_.CreateCondBr(b_.CreateAnd(b_.CreateICmpSLT(index.first, upper), fits), several, rest);
  b_.SetInsertPoint(several);
  std::vector<Parts> values = carried;
  llvm::Value* at = emit_in_a_row(v, iterations_at_once, index.first, step, values, inside);
  add_incoming(index, {at}, b_.GetInsertBlock());
  for (size_t c = 0; c < carried.size(); ++c) add_incoming(carried[c], values[c], b_.GetInsertBlock());
  Loop loop{.latch = b_.GetInsertBlock()};
  b_.CreateBr(header);
  keep_rolled(loop);
  b_.SetInsertPoint(rest);
  return index.first;
}

bool Control::scatters_bytes(Value v) const {
  const ir::Instruction& step = kernel_.instructions[kernel_.operands(v)[2]];
  return machine_.kind == Machine::Kind::host && kernel_.ndim == 0 && step.op != Opcode::constant &&
         is_straight_body(kernel_, kernel_.region(v, 0)) && stores_bytes(kernel_, kernel_.region(v, 0));
}

llvm::Value* Control::emit_scattering(const Iterations& of, const Bounds& bounds, std::vector<Parts>& carried,
                                      const Inside& inside) {
  llvm::BasicBlock* before = b_.GetInsertBlock();
  // Clamped so that LLVM sees that no index is negative, and drops the tests for those that count from the end.
  llvm::Value* longest = b_.getInt64(uint64_t{1} << 60);
  llvm::Value* step = b_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, bounds.step, longest);
  llvm::Value* begin = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, bounds.lower, b_.getInt64(0));
  llvm::Value* end = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, bounds.upper, b_.getInt64(0));
  // What follows the four iterations is an int64.
  llvm::Value* most = b_.CreateSub(b_.getInt64(INT64_MAX), step, "", true, true);
  end = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, end, most);
  llvm::Value* climbs = b_.CreateICmpULT(b_.CreateSub(bounds.step, b_.getInt64(1)), longest);
  llvm::Value* fits = b_.CreateAnd(b_.CreateICmpSGE(bounds.lower, b_.getInt64(0)), climbs);
  llvm::Value* last = b_.CreateMul(step, b_.getInt64(iterations_at_once - 1), "", true, true);
  end = b_.CreateSelect(fits, b_.CreateSub(end, last, "", false, true), begin);
  llvm::Value* steps = b_.CreateMul(step, b_.getInt64(iterations_at_once), "", true, true);
  e_.frame.mark_positive(steps);
  std::vector<Parts> initial = carried;
  Loop loop = open_loop(begin, end, steps, false, "scatter");
  for (Parts& one : carried) one = make_phi(one, before);
  std::vector<Parts> values = carried;
  emit_in_a_row(of.loop, iterations_at_once, loop.index, step, values, inside);
  for (size_t c = 0; c < carried.size(); ++c) add_incoming(carried[c], values[c], b_.GetInsertBlock());
  llvm::Value* next = b_.CreateAdd(loop.index, steps, "", false, true);
  close_loop(loop, of.are_apart);
  for (size_t c = 0; c < carried.size(); ++c) {
    carried[c] = make_phi(initial[c], before);
    add_incoming(carried[c], values[c], loop.latch);
  }
  const Parts rest = make_phi({bounds.lower}, before);
  add_incoming(rest, {next}, loop.latch);
  return rest.first;
}

}  // namespace tessera::codegen
