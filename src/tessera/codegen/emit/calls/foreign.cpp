// Calls of functions in other code for a device, which a linker joins, and the addresses that they are given.
#include "tessera/base/error.h"
#include "tessera/codegen/emit/emitter.h"

namespace tessera::codegen {

using ir::Opcode;
using ir::Value;

namespace {

/// A boolean is a byte in other code, and a complex number a structure.
llvm::Type* passed_type(llvm::LLVMContext& context, DType dtype) {
  require<NotImplementedError>(!is_floating(dtype) || itemsize(dtype) >= 4,
                               "a function in other code takes and returns no {}", dtype);
  if (!is_complex(dtype)) return memory_type(context, dtype);
  llvm::Type* part = memory_type(context, real_dtype(dtype));
  return llvm::StructType::get(part, part);
}

/// As CUDA's float2 and double2 are aligned.
llvm::Align alignment(DType dtype) { return llvm::Align(static_cast<uint64_t>(itemsize(dtype))); }

/// Numbers of less than 32 bits are passed in 32.
llvm::Attribute::AttrKind extension(DType dtype) {
  return is_signed_integer(dtype) ? llvm::Attribute::SExt : llvm::Attribute::ZExt;
}
bool is_extended(DType dtype) { return itemsize(dtype) < 4; }

}  // namespace

llvm::Value* Calls::stack_place(llvm::Type* type, DType dtype, const char* name) {
  llvm::Value* place = e_.frame.stack_array(type, b_.getInt64(1), name);
  if (auto* made = llvm::dyn_cast<llvm::AllocaInst>(place)) made->setAlignment(alignment(dtype));
  return place;
}

/// In the generic address space, whatever memory it is in.
void Calls::emit_address(Value v) {
  const ir::Instruction& i = kernel_.instructions[v];
  const std::span<const Value> operands = kernel_.operands(v);
  llvm::Value* address = i.op == Opcode::address ? e_.memory.element_address(i.imm, operands)
                                                 : e_.arrays.array_address(i.imm, operands[0]).first;
  set(v, {b_.CreatePtrToInt(b_.CreateAddrSpaceCast(address, b_.getPtrTy()), word_)});
}

void Calls::emit_foreign_call(Value v) {
  const ir::Instruction& i = kernel_.instructions[v];
  const ir::ForeignFunction& called = kernel_.foreign[i.imm];
  require<NotImplementedError>(machine_.kind == Machine::Kind::device, "{} is code for a device only", called.name);
  const bool stores_result = called.is_numbas;
  llvm::SmallVector<llvm::Type*, 8> types;
  llvm::SmallVector<llvm::Value*, 8> values;
  llvm::Type* result_type = called.result ? passed_type(context_, *called.result) : b_.getInt64Ty();
  if (stores_result) {
    types.push_back(b_.getPtrTy());
    values.push_back(stack_place(result_type, called.result.value_or(DType::int64), "result"));
  }
  const std::span<const Value> operands = kernel_.operands(v);
  for (size_t k = 0; k < operands.size(); ++k) {
    const DType given = called.parameters[k];
    if (is_complex(given)) {
      llvm::Value* place = stack_place(passed_type(context_, given), given, "argument");
      e_.memory.store_parts(e_.memory.part_addresses(place, given), get(operands[k]), given, no_buffer);
      types.push_back(b_.getPtrTy());
      values.push_back(place);
      continue;
    }
    types.push_back(passed_type(context_, given));
    llvm::Value* value = get_one(operands[k]);
    values.push_back(is_boolean(given) ? b_.CreateZExt(value, types.back()) : value);
  }
  llvm::Type* returned = stores_result ? b_.getInt32Ty() : called.result ? result_type : b_.getVoidTy();
  llvm::FunctionType* type = llvm::FunctionType::get(returned, types, false);
  auto* function = llvm::cast<llvm::Function>(module_.getOrInsertFunction(called.name, type).getCallee());
  function->addFnAttr(llvm::Attribute::NoUnwind);
  function->addFnAttr(llvm::Attribute::Convergent);
  llvm::CallInst* call = b_.CreateCall(function, values);
  call->addFnAttr(llvm::Attribute::Convergent);
  for (size_t k = 0; k < operands.size(); ++k) {
    const DType given = called.parameters[k];
    const auto number = static_cast<unsigned>(k + stores_result);
    if (is_extended(given)) call->addParamAttr(number, extension(given));
    if (!is_complex(given)) continue;
    const llvm::Attribute by_value = llvm::Attribute::getWithByValType(context_, passed_type(context_, given));
    const llvm::Attribute aligned = llvm::Attribute::getWithAlignment(context_, alignment(given));
    for (const llvm::Attribute& one : {by_value, aligned}) {
      call->addParamAttr(number, one);
      function->addParamAttr(number, one);
    }
  }
  if (!stores_result && called.result && is_extended(*called.result)) call->addRetAttr(extension(*called.result));
  if (called.result && is_complex(*called.result)) {
    invariant(stores_result, "{} returns a complex number", called.name);
    return set(v, e_.memory.load_parts(e_.memory.part_addresses(values[0], *called.result), *called.result, no_buffer));
  }
  llvm::Value* given = call;
  if (!called.result)
    given = b_.getInt64(0);
  else if (stores_result)
    given = b_.CreateLoad(result_type, values[0]);
  set(v, {called.result && is_boolean(*called.result) ? b_.CreateIsNotNull(given) : given});
}

}  // namespace tessera::codegen
