#include "tessera/codegen/cuda_cpp/guard_divisions.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>

#include <vector>

namespace tessera::codegen::cuda_cpp {

namespace {

bool is_signed(const llvm::BinaryOperator& division) {
  return division.getOpcode() == llvm::Instruction::SDiv || division.getOpcode() == llvm::Instruction::SRem;
}

bool may_raise(const llvm::BinaryOperator& division) {
  const auto* divisor = llvm::dyn_cast<llvm::ConstantInt>(division.getOperand(1));
  return !divisor || divisor->isZero() || (is_signed(division) && divisor->isMinusOne());
}

void guard(llvm::BinaryOperator& division) {
  llvm::IRBuilder<> b(&division);
  llvm::Type* type = division.getType();
  llvm::Value *dividend = division.getOperand(0), *divisor = division.getOperand(1);
  llvm::Value *zero = llvm::ConstantInt::get(type, 0), *one = llvm::ConstantInt::get(type, 1);
  llvm::Value* is_zero = b.CreateICmpEQ(divisor, zero);
  llvm::Value* raises = is_zero;
  if (is_signed(division)) {
    llvm::Value* least =
        llvm::ConstantInt::get(type, llvm::APInt::getSignedMinValue(type->getScalarType()->getIntegerBitWidth()));
    llvm::Value* overflows =
        b.CreateAnd(b.CreateICmpEQ(divisor, llvm::ConstantInt::getAllOnesValue(type)), b.CreateICmpEQ(dividend, least));
    raises = b.CreateOr(is_zero, overflows);
  }
  llvm::Value* safe = b.CreateBinOp(division.getOpcode(), dividend, b.CreateSelect(raises, one, divisor));
  division.replaceAllUsesWith(b.CreateSelect(is_zero, zero, safe));
  division.eraseFromParent();
}

}  // namespace

void guard_divisions(llvm::Module& module) {
  std::vector<llvm::BinaryOperator*> divisions;
  for (llvm::Function& function : module)
    for (llvm::Instruction& i : llvm::instructions(function))
      if (auto* operation = llvm::dyn_cast<llvm::BinaryOperator>(&i);
          operation && operation->isIntDivRem() && may_raise(*operation))
        divisions.push_back(operation);
  for (llvm::BinaryOperator* division : divisions) guard(*division);
}

}  // namespace tessera::codegen::cuda_cpp
