// Calls of functions in other code for a device, which a linker joins, and the addresses that they are given.
#include "tessera/base/error.h"
#include "tessera/codegen/emit/emitter.h"

namespace tessera::codegen {

using ir::Opcode;
using ir::Value;

namespace {

/// A boolean is a byte in other code.
llvm::Type* passed_type(llvm::LLVMContext& context, DType dtype) {
  require<NotImplementedError>(!is_complex(dtype) && (!is_floating(dtype) || itemsize(dtype) >= 4),
                               "a function in other code takes and returns no {}", dtype);
  return memory_type(context, dtype);
}

/// Numbers of less than 32 bits are passed in 32.
llvm::Attribute::AttrKind extension(DType dtype) {
  return is_signed_integer(dtype) ? llvm::Attribute::SExt : llvm::Attribute::ZExt;
}
bool is_extended(DType dtype) { return itemsize(dtype) < 4; }

}  // namespace

/// In the generic address space, whatever memory it is in.
void Emitter::emit_address(Value v) {
  const ir::Instruction& i = kernel_.instructions[v];
  const std::span<const Value> operands = kernel_.operands(v);
  llvm::Value* address =
      i.op == Opcode::address ? element_address(i.imm, operands) : array_address(i.imm, operands[0]).first;
  set(v, {b_.CreatePtrToInt(b_.CreateAddrSpaceCast(address, b_.getPtrTy()), word_)});
}

void Emitter::emit_foreign_call(Value v) {
  const ir::Instruction& i = kernel_.instructions[v];
  const ir::ForeignFunction& called = kernel_.foreign[i.imm];
  require<NotImplementedError>(machine_.kind == Machine::Kind::nvptx, "{} is code for a device only", called.name);
  const bool stores_result = called.is_numbas;
  llvm::SmallVector<llvm::Type*, 8> types;
  llvm::SmallVector<llvm::Value*, 8> values;
  llvm::Type* result_type = called.result ? passed_type(context_, *called.result) : b_.getInt64Ty();
  if (stores_result) {
    types.push_back(b_.getPtrTy());
    values.push_back(stack_array(result_type, b_.getInt64(1), "result"));
  }
  const std::span<const Value> operands = kernel_.operands(v);
  for (size_t k = 0; k < operands.size(); ++k) {
    types.push_back(passed_type(context_, called.parameters[k]));
    llvm::Value* value = get_one(operands[k]);
    values.push_back(is_boolean(called.parameters[k]) ? b_.CreateZExt(value, types.back()) : value);
  }
  llvm::Type* returned = stores_result ? b_.getInt32Ty() : called.result ? result_type : b_.getVoidTy();
  llvm::FunctionType* type = llvm::FunctionType::get(returned, types, false);
  auto* function = llvm::cast<llvm::Function>(module_.getOrInsertFunction(called.name, type).getCallee());
  function->addFnAttr(llvm::Attribute::NoUnwind);
  function->addFnAttr(llvm::Attribute::Convergent);
  llvm::CallInst* call = b_.CreateCall(function, values);
  call->addFnAttr(llvm::Attribute::Convergent);
  for (size_t k = 0; k < operands.size(); ++k)
    if (const DType given = called.parameters[k]; is_extended(given))
      call->addParamAttr(static_cast<unsigned>(k + stores_result), extension(given));
  if (!stores_result && called.result && is_extended(*called.result)) call->addRetAttr(extension(*called.result));
  llvm::Value* given = call;
  if (!called.result)
    given = b_.getInt64(0);
  else if (stores_result)
    given = b_.CreateLoad(result_type, values[0]);
  set(v, {called.result && is_boolean(*called.result) ? b_.CreateIsNotNull(given) : given});
}

}  // namespace tessera::codegen
