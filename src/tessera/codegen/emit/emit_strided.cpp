// Loops of user kernels on a device whose steps are numbers of threads: four iterations at a time, so that their loads
// are under way together.
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

/// Whether the loop's body only computes and accesses memory, and loads something.
bool loads_in_a_row(const ir::Kernel& kernel, const ir::Region& body) {
  bool loads = false;
  for (Value v : body.body) {
    const ir::Instruction& i = kernel.instructions[v];
    if (i.region_count > 0 || (i.op >= Opcode::barrier && i.op <= Opcode::call_host)) return false;
    loads |= i.op == Opcode::load;
  }
  return loads && body.body.size() <= longest_body;
}

}  // namespace

bool Emitter::strides_over_threads(Value v) const {
  return in_lane_ && mapping_.exact_grid && machine_.kind == Machine::Kind::nvptx &&
         counts_threads(kernel_, kernel_.operands(v)[2]) && loads_in_a_row(kernel_, kernel_.region(v, 0));
}

llvm::Value* Emitter::emit_strided(Value v, llvm::Value* lower, llvm::Value* upper, llvm::Value* step,
                                   std::vector<Parts>& carried, const Inside& inside) {
  const ir::Region& body = kernel_.region(v, 0);
  llvm::BasicBlock* before = b_.GetInsertBlock();
  llvm::BasicBlock* header = llvm::BasicBlock::Create(context_, "strided", function_);
  llvm::BasicBlock* several = llvm::BasicBlock::Create(context_, "", function_);
  llvm::BasicBlock* rest = llvm::BasicBlock::Create(context_, "", function_);
  llvm::Value* last = b_.CreateMul(step, number(step->getType(), iterations_at_once - 1));
  b_.CreateBr(header);
  b_.SetInsertPoint(header);
  const Parts index = make_phi({lower}, before);
  for (Parts& one : carried) one = make_phi(one, before);
  // Below `upper` the difference is the right one as an unsigned number.
  llvm::Value* fits = b_.CreateICmpUGT(b_.CreateSub(upper, index.first), last);
  b_.CreateCondBr(b_.CreateAnd(b_.CreateICmpSLT(index.first, upper), fits), several, rest);
  b_.SetInsertPoint(several);
  std::vector<Parts> values = carried;
  llvm::Value* at = index.first;
  for (int k = 0; k < iterations_at_once; ++k) {
    set(body.arg_values[0], {at});
    for (size_t c = 0; c < values.size(); ++c) set(body.arg_values[1 + c], values[c]);
    inside(0);
    for (size_t c = 0; c < values.size(); ++c) values[c] = get(yielded(kernel_, body)[c]);
    at = b_.CreateAdd(at, step, "", false, true);
  }
  add_incoming(index, {at}, b_.GetInsertBlock());
  for (size_t c = 0; c < carried.size(); ++c) add_incoming(carried[c], values[c], b_.GetInsertBlock());
  Loop loop{.latch = b_.GetInsertBlock()};
  b_.CreateBr(header);
  keep_rolled(loop);
  b_.SetInsertPoint(rest);
  return index.first;
}

}  // namespace tessera::codegen
