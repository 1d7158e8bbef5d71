// Final rewrites of device code.
#include "tessera/codegen/address_spaces.h"
#include "tessera/codegen/target/device_code.h"

#include <map>
#include <vector>

#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

namespace tessera::codegen::device {

namespace {

constexpr uint64_t sign_bit = uint64_t{1} << 63;

std::vector<llvm::IntrinsicInst*> calls(llvm::Function& function, llvm::Intrinsic::ID id) {
  std::vector<llvm::IntrinsicInst*> list;
  for (llvm::Instruction& i : llvm::instructions(function)) {
    auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&i);
    if (call && call->getIntrinsicID() == id && call->getType()->isDoubleTy()) list.push_back(call);
  }
  return list;
}

void rewrite_signs(llvm::Function& function) {
  llvm::IRBuilder<> b(function.getContext());
  const auto bits = [&](llvm::Value* x, uint64_t mask) {
    return b.CreateAnd(b.CreateBitCast(x, b.getInt64Ty()), mask);
  };
  for (llvm::IntrinsicInst* call : calls(function, llvm::Intrinsic::copysign)) {
    b.SetInsertPoint(call);
    llvm::Value* both = b.CreateOr(bits(call->getArgOperand(0), ~sign_bit), bits(call->getArgOperand(1), sign_bit));
    call->replaceAllUsesWith(b.CreateBitCast(both, b.getDoubleTy()));
    call->eraseFromParent();
  }
  for (llvm::IntrinsicInst* call : calls(function, llvm::Intrinsic::fabs)) {
    b.SetInsertPoint(call);
    // Only selects: arithmetic and comparisons accept |x| as an operand modifier.
    call->replaceUsesWithIf(b.CreateBitCast(bits(call->getArgOperand(0), ~sign_bit), b.getDoubleTy()),
                            [](const llvm::Use& use) { return llvm::isa<llvm::SelectInst>(use.getUser()); });
  }
}

bool is_arithmetic(const llvm::Instruction& i) {
  const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&i);
  return llvm::isa<llvm::BinaryOperator>(i) || (call && call->getIntrinsicID() == llvm::Intrinsic::fma);
}

bool wants_memory(const llvm::Value* value) {
  const auto* constant = llvm::dyn_cast<llvm::ConstantFP>(value);
  return constant && constant->getType()->isDoubleTy() && constant->getValueAPF().bitcastToAPInt().trunc(32) != 0;
}

void place_constants(llvm::Module& module) {
  std::vector<llvm::Constant*> values;
  std::map<llvm::Constant*, unsigned> places;
  std::vector<llvm::Use*> uses;
  for (llvm::Function& function : module)
    for (llvm::Instruction& instruction : llvm::instructions(function))
      for (llvm::Use& use : instruction.operands())
        if (is_arithmetic(instruction) && wants_memory(use)) uses.push_back(&use);
  for (llvm::Use* use : uses) {
    auto* constant = llvm::cast<llvm::Constant>(use->get());
    if (places.emplace(constant, values.size()).second) values.push_back(constant);
  }
  if (values.empty()) return;
  auto* type = llvm::ArrayType::get(llvm::Type::getDoubleTy(module.getContext()), values.size());
  // Not marked constant, or the target's own passes would fold the values back in.
  auto* table = new llvm::GlobalVariable(module, type, false, llvm::GlobalValue::InternalLinkage,
                                         llvm::ConstantArray::get(type, values), "constants", nullptr,
                                         llvm::GlobalValue::NotThreadLocal, constant_memory);
  table->setAlignment(llvm::Align(8));
  for (llvm::Use* use : uses) {
    llvm::IRBuilder<> b(llvm::cast<llvm::Instruction>(use->getUser()));
    llvm::Value* place =
        b.CreateConstInBoundsGEP2_64(type, table, 0, places.at(llvm::cast<llvm::Constant>(use->get())));
    llvm::LoadInst* load = b.CreateAlignedLoad(b.getDoubleTy(), place, llvm::Align(8));
    load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(module.getContext(), {}));
    use->set(load);
  }
}

}  // namespace

void rewrite(llvm::Module& module) {
  for (llvm::Function& function : module) rewrite_signs(function);
  place_constants(module);
}

}  // namespace tessera::codegen::device
