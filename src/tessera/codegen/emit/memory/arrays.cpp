// Local and shared arrays. A local array stores each of its elements for all lanes of a strip together, so that
// neighbouring lanes are neighbours in memory and loops over lanes vectorise.
#include "tessera/base/error.h"
#include "tessera/codegen/emit/emitter.h"

namespace tessera::codegen {

using ir::Opcode;
using ir::Value;

void Arrays::make_arrays() {
  for (const ir::ArrayDecl& array : kernel_.arrays) {
    llvm::Type* type = memory_type(context_, array.dtype);
    if (array.is_dynamic()) {
      arrays_.push_back(dynamic_array());
      continue;
    }
    const int64_t parts = array.size * (is_complex(array.dtype) ? 2 : 1);
    if (array.shared && machine_.kind == Machine::Kind::device) {
      arrays_.push_back(e_.frame.shared_array(type, parts));
      continue;
    }
    llvm::Value* size = b_.getInt64(parts);
    if (!array.shared) size = e_.frame.at_level(0, [&] { return b_.CreateMul(size, w_.strip.size); });
    arrays_.push_back(e_.frame.stack_array(type, size, array.shared ? "shared" : "local"));
  }
}

/// The memory at which all dynamic arrays begin.
llvm::Value* Arrays::dynamic_array() {
  if (dynamic_) return dynamic_;
  if (machine_.kind == Machine::Kind::device) return dynamic_ = e_.frame.device_dynamic_array();
  llvm::Value* bytes = e_.frame.at_level(0, [&] {
    llvm::Value* field = b_.CreateConstInBoundsGEP1_64(word_, function_->getArg(0), field_shared_bytes);
    return b_.CreateLoad(word_, field, "shared_bytes");
  });
  return dynamic_ = e_.frame.stack_array(b_.getInt8Ty(), bytes, "dynamic");
}

Parts Arrays::array_address(uint32_t array, Value index) {
  const ir::ArrayDecl& declared = kernel_.arrays[array];
  llvm::Type* type = memory_type(context_, declared.dtype);
  llvm::Value* at = e_.memory.as_word(index);
  if (!declared.shared) at = b_.CreateAdd(b_.CreateMul(at, w_.strip.size), e_.lanes.lane());
  if (is_complex(declared.dtype)) at = b_.CreateShl(at, 1);
  llvm::Value* address = b_.CreateGEP(type, arrays_[array], at);
  return e_.memory.part_addresses(address, declared.dtype);
}

void Arrays::emit_array_access(Value v) {
  const ir::Instruction& i = kernel_.instructions[v];
  std::span<const Value> operands = kernel_.operands(v);
  // Arrays begin at multiples of 16 bytes: one access of a device serves both parts.
  if (machine_.kind == Machine::Kind::device && is_complex(i.type)) e_.memory.know_alignment(itemsize(i.type));
  if (i.op == Opcode::load_array) {
    set(v, e_.memory.load_parts(array_address(i.imm, operands[0]), i.type, no_buffer));
  } else {
    e_.memory.store_parts(array_address(i.imm, operands[1]), get(operands[0]), i.type, no_buffer);
  }
  e_.memory.know_alignment(0);
}

/// Element 0 of the lane's own array.
llvm::Value* Arrays::array_start(uint32_t array) {
  const DType dtype = kernel_.arrays[array].dtype;
  llvm::Value* at = is_complex(dtype) ? b_.CreateShl(e_.lanes.lane(), 1) : e_.lanes.lane();
  return b_.CreateAddrSpaceCast(b_.CreateGEP(memory_type(context_, dtype), arrays_[array], at), b_.getPtrTy());
}

}  // namespace tessera::codegen
