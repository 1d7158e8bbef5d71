// Local and shared arrays. A local array stores each of its elements for all lanes of a strip together, so that
// neighbouring lanes are neighbours in memory and loops over lanes vectorise.
#include "tessera/base/error.h"
#include "tessera/codegen/emit/emitter.h"

#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/IntrinsicsNVPTX.h>

namespace tessera::codegen {

using ir::Opcode;
using ir::Value;

void Emitter::make_arrays() {
  for (const ir::ArrayDecl& array : kernel_.arrays) {
    llvm::Type* type = memory_type(context_, array.dtype);
    const int64_t parts = array.size * (is_complex(array.dtype) ? 2 : 1);
    if (array.shared && machine_.kind == Machine::Kind::nvptx) {
      arrays_.push_back(shared_array(type, parts));
      continue;
    }
    llvm::Value* size = b_.getInt64(parts);
    if (!array.shared) size = at_level(0, [&] { return b_.CreateMul(size, strip_size_); });
    arrays_.push_back(stack_array(type, size, array.shared ? "shared" : "local"));
  }
}

Parts Emitter::array_address(uint32_t array, Value index) {
  const ir::ArrayDecl& declared = kernel_.arrays[array];
  llvm::Type* type = memory_type(context_, declared.dtype);
  llvm::Value* at = as_word(index);
  if (!declared.shared) at = b_.CreateAdd(b_.CreateMul(at, strip_size_), lane());
  if (is_complex(declared.dtype)) at = b_.CreateShl(at, 1);
  llvm::Value* address = b_.CreateGEP(type, arrays_[array], at);
  return part_addresses(address, declared.dtype);
}

void Emitter::emit_array_access(Value v) {
  const ir::Instruction& i = kernel_.instructions[v];
  std::span<const Value> operands = kernel_.operands(v);
  if (i.op == Opcode::load_array) {
    set(v, load_parts(array_address(i.imm, operands[0]), i.type, no_buffer));
  } else {
    store_parts(array_address(i.imm, operands[1]), get(operands[0]), i.type, no_buffer);
  }
}

void Emitter::emit_barrier() {
  require<NotImplementedError>(machine_.kind == Machine::Kind::nvptx,
                               "codegen: a barrier inside control flow that differs between lanes has no native code");
  b_.CreateIntrinsic(llvm::Intrinsic::nvvm_barrier0, {}, {});
}

void Emitter::emit_warp_barrier() {
  require<NotImplementedError>(
      machine_.kind == Machine::Kind::nvptx,
      "codegen: a warp's barrier inside control flow that differs between lanes has no native code");
  b_.CreateIntrinsic(llvm::Intrinsic::nvvm_bar_warp_sync, {}, {b_.getInt32(~0u)});
}

void Emitter::emit_ballot(Value v) {
  require<NotImplementedError>(machine_.kind == Machine::Kind::nvptx, "codegen: a ballot has no native code");
  set(v, {b_.CreateIntrinsic(llvm::Intrinsic::nvvm_vote_ballot_sync, {},
                             {b_.getInt32(~0u), get_one(kernel_.operands(v)[0])})});
}

/// One vote per bit, as inline assembly: LLVM would compute each bit twice, once for the vote and once for the test of
/// its result.
void Emitter::emit_match_byte(Value v) {
  require<NotImplementedError>(machine_.kind == Machine::Kind::nvptx, "codegen: match_byte has no native code");
  std::string text = "{ .reg .pred p; .reg .b32 m;\nmov.b32 $0, -1;\n";
  for (int bit = 0; bit < 8; ++bit) {
    text += "and.b32 m, $1, " + std::to_string(1 << bit) +
            ";\nsetp.ne.u32 p, m, 0;\nvote.sync.ballot.b32 m, p, 0xffffffff;\n";
    text += "@!p not.b32 m, m;\nand.b32 $0, $0, m;\n";
  }
  llvm::Type* word = b_.getInt32Ty();
  llvm::FunctionCallee votes = {
      llvm::FunctionType::get(word, {word}, false),
      llvm::InlineAsm::get(llvm::FunctionType::get(word, {word}, false), text + "}", "=&r,r", true)};
  llvm::CallInst* call = b_.CreateCall(votes, {get_one(kernel_.operands(v)[0])});
  call->addFnAttr(llvm::Attribute::Convergent);
  set(v, {call});
}

}  // namespace tessera::codegen
