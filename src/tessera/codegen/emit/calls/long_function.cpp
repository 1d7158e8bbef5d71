// Calls of long functions: the precompiled loops that the interpreter also uses, for a strip of lanes or for one value.
// Their results have the same bits as the functions' bodies, which are only emitted where control flow differs between
// lanes.
#include "tessera/codegen/emit/emitter.h"
#include "tessera/codegen/emit/symbols.h"
#include "tessera/ir/value_function.h"
#include "tessera/lanes/schedule/call_depth.h"

#include <llvm/IR/VFABIDemangler.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

namespace tessera::codegen {

using ir::Opcode;
using ir::Value;

std::string loop_symbol(Opcode op, DType dtype) {
  return "tessera_loop_" + std::string(ir::name(op)) + "_" + std::string(name(dtype));
}

std::string value_symbol(Opcode op, DType dtype, int count) {
  const std::string of_one = "tessera_values_" + std::string(ir::name(op)) + "_" + std::string(name(dtype));
  return count ? of_one + "_x" + std::to_string(count) : of_one;
}

/// Whether v is computed by a call of a long function for a single value, on the host.
bool Calls::is_call(Value v) const {
  return machine_.kind == Machine::Kind::host && is_long_function(kernel_, v) &&
         (e_.lanes.walks_beside_lanes() || !dependence_.varies(v) || kernel_.ndim == 0);
}

void Calls::emit_call(const Schedule& schedule, Value v) {
  llvm::SmallVector<Strip, 3> strips;
  for (Value operand : kernel_.operands(v)) strips.push_back(strip_of(schedule, operand));
  strips.push_back({e_.lanes.slot(schedule.slot_of.at(v)).first, b_.getInt64(itemsize(type_of(v)))});
  emit_loop_call(v, strips, b_.CreateSub(w_.strip.end, w_.strip.begin));
}

/// The address and stride of an operand's lanes: in memory, in a slot, or one value shared by all lanes.
Calls::Strip Calls::strip_of(const Schedule& schedule, Value operand) {
  if (schedule.is_leaf(operand)) return strip_of_load(operand);
  auto slot = schedule.slot_of.find(operand);
  if (slot == schedule.slot_of.end()) return cell_of(operand);
  return {e_.lanes.slot(slot->second).first, b_.getInt64(itemsize(type_of(operand)))};
}

Calls::Strip Calls::strip_of_load(Value load) {
  const uint32_t buffer = kernel_.instructions[load].imm;
  std::span<const Value> indices = kernel_.operands(load);
  const bool is_row = e_.lanes.element_index() == ir::no_value;
  llvm::Value* stride = b_.getInt64(0);
  for (size_t axis = 0; axis < indices.size(); ++axis) {
    const ir::Instruction& index = kernel_.instructions[indices[axis]];
    const bool is_lane = is_row ? index.op == Opcode::index && static_cast<int>(index.imm) + 1 == kernel_.ndim
                                : indices[axis] == e_.lanes.element_index();
    if (is_lane) stride = b_.CreateAdd(stride, e_.memory.stride_of(buffer, static_cast<int>(axis)));
  }
  if (!is_row) {
    set(e_.lanes.element_index(), {w_.strip.begin});
    return {e_.memory.element_address(buffer, indices), stride};
  }
  llvm::Value* lane = kernel_.ndim > 0 ? std::exchange(w_.axis_index.back(), w_.strip.begin) : nullptr;
  llvm::Value* address = e_.memory.element_address(buffer, indices);
  if (lane) w_.axis_index.back() = lane;
  return {address, stride};
}

Calls::Strip Calls::cell_of(Value v) {
  llvm::Value* value = get_one(v);
  llvm::Value* cell = e_.frame.stack_array(value->getType(), b_.getInt64(1), "cell");
  b_.CreateStore(value, cell);
  return {cell, b_.getInt64(0)};
}

/// The function for one value. Loops are vectorised by that of a vector register's.
llvm::Value* Calls::emit_single_call(Value v) {
  const DType dtype = type_of(v);
  const Opcode op = kernel_.instructions[v].op;
  llvm::Type* type = value_type(context_, dtype);
  llvm::SmallVector<llvm::Value*, 2> values;
  for (Value operand : kernel_.operands(v)) values.push_back(get_one(operand));
  const auto declare = [&](const std::string& name, llvm::Type* of) {
    const llvm::SmallVector<llvm::Type*, 2> parameters(values.size(), of);
    auto* function = llvm::cast<llvm::Function>(
        module_.getOrInsertFunction(name, llvm::FunctionType::get(of, parameters, false)).getCallee());
    for (const auto attribute : {llvm::Attribute::NoUnwind, llvm::Attribute::WillReturn, llvm::Attribute::NoSync,
                                 llvm::Attribute::NoFree, llvm::Attribute::Speculatable})
      function->addFnAttr(attribute);
    function->setDoesNotAccessMemory();
    return function;
  };
  const std::string one = value_symbol(op, dtype, 0);
  llvm::CallInst* call = b_.CreateCall(declare(one, type), values);
  if (ir::find_value_function(op, dtype, machine_.level).many) {
    const int count = ir::values_at_once(dtype, machine_.level);
    const std::string many = value_symbol(op, dtype, count);
    llvm::appendToCompilerUsed(module_,
                               {declare(many, llvm::FixedVectorType::get(type, static_cast<unsigned>(count)))});
    const std::string parameters(values.size(), 'v');
    llvm::VFABI::setVectorVariantNames(
        call, {"_ZGV_LLVM_N" + std::to_string(count) + parameters + "_" + one + "(" + many + ")"});
  }
  return call;
}

/// The order of ir::Loop: operands first, the result last.
void Calls::emit_loop_call(Value v, std::span<const Strip> strips, llvm::Value* count) {
  if (!call_pointers_) {
    call_pointers_ = e_.frame.stack_array(b_.getPtrTy(), b_.getInt64(3), "pointers");
    call_strides_ = e_.frame.stack_array(word_, b_.getInt64(3), "strides");
  }
  for (size_t k = 0; k < strips.size(); ++k) {
    b_.CreateStore(strips[k].address, b_.CreateConstGEP1_64(b_.getPtrTy(), call_pointers_, k));
    b_.CreateStore(strips[k].stride, b_.CreateConstGEP1_64(word_, call_strides_, k));
  }
  llvm::FunctionCallee loop = module_.getOrInsertFunction(loop_symbol(kernel_.instructions[v].op, type_of(v)),
                                                          b_.getVoidTy(), b_.getPtrTy(), b_.getPtrTy(), word_);
  llvm::cast<llvm::Function>(loop.getCallee())->addFnAttr(llvm::Attribute::NoUnwind);
  b_.CreateCall(loop, {call_pointers_, call_strides_, count});
}

}  // namespace tessera::codegen
