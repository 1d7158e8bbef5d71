#include "tessera/codegen/cuda_cpp/call_math.h"

#include <llvm/ADT/StringMap.h>
#include <llvm/ADT/StringSwitch.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/VFABIDemangler.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

#include "tessera/codegen/emit/symbols.h"
#include "tessera/ir/opcode.h"
#include "tessera/ir/value_function.h"
#include "tessera/lanes/schedule/call_depth.h"

namespace tessera::codegen::cuda_cpp {

namespace {

/// Whose meaning C and the IR share.
constexpr const char* names[] = {"acos",  "acosh", "asin", "asinh", "atan", "atanh", "atan2", "cbrt",   "cos",
                                 "cosh",  "erf",   "erfc", "exp",   "exp2", "expm1", "hypot", "log",    "log10",
                                 "log1p", "log2",  "pow",  "sin",   "sinh", "tan",   "tanh",  "tgamma", "lgamma"};

std::optional<ir::Opcode> find_opcode(llvm::StringRef called) {
  static const llvm::StringMap<ir::Opcode> known = [] {
    llvm::StringMap<ir::Opcode> all;
    for (int op = 0; op < ir::opcode_count; ++op)
      for (const char* name : names)
        if (ir::name(static_cast<ir::Opcode>(op)) == name &&
            lanes::is_long_function(static_cast<ir::Opcode>(op), DType::float64))
          all[name] = static_cast<ir::Opcode>(op);
    return all;
  }();
  if (called.consume_front("llvm.")) called = called.take_until([](char c) { return c == '.'; });
  if (const auto at = known.find(called); at != known.end()) return at->second;
  if (called.consume_back("f"))
    if (const auto at = known.find(called); at != known.end()) return at->second;
  return std::nullopt;
}

llvm::Function* declare(llvm::Module& module, const std::string& name, llvm::Type* type, size_t parameters) {
  const llvm::SmallVector<llvm::Type*, 2> types(parameters, type);
  auto* function = llvm::cast<llvm::Function>(
      module.getOrInsertFunction(name, llvm::FunctionType::get(type, types, false)).getCallee());
  for (const auto attribute : {llvm::Attribute::NoUnwind, llvm::Attribute::WillReturn, llvm::Attribute::NoSync,
                               llvm::Attribute::NoFree, llvm::Attribute::Speculatable})
    function->addFnAttr(attribute);
  function->setDoesNotAccessMemory();
  return function;
}

/// The function of a vector for loops in which some lanes do not call it: those get any value. LLVM passes which do.
std::string make_masked(llvm::Module& module, const std::string& many, llvm::FixedVectorType* type, size_t parameters) {
  const std::string name = many + "_masked";
  if (module.getFunction(name)) return name;
  llvm::SmallVector<llvm::Type*, 3> types(parameters, type);
  types.push_back(llvm::FixedVectorType::get(llvm::Type::getInt1Ty(module.getContext()), type->getNumElements()));
  auto* made = llvm::Function::Create(llvm::FunctionType::get(type, types, false), llvm::GlobalValue::InternalLinkage,
                                      name, module);
  made->addFnAttr(llvm::Attribute::NoUnwind);
  made->addFnAttr(llvm::Attribute::NoInline);
  llvm::IRBuilder<> b(llvm::BasicBlock::Create(module.getContext(), "", made));
  std::vector<llvm::Value*> values;
  for (unsigned k = 0; k < parameters; ++k) values.push_back(made->getArg(k));
  llvm::CallInst* call = b.CreateCall(module.getFunction(many), values);
  call->setTailCall();
  b.CreateRet(call);
  llvm::appendToCompilerUsed(module, {made});
  return name;
}

void replace(llvm::CallInst& call, ir::Opcode op, DType dtype, int level) {
  llvm::Module& module = *call.getModule();
  const ir::ValueFunction function = ir::find_value_function(op, dtype, level);
  if (!function.one) return;
  const std::string one = value_symbol(op, dtype, 0);
  const std::vector<llvm::Value*> values(call.arg_begin(), call.arg_end());
  auto* made =
      llvm::CallInst::Create(declare(module, one, call.getType(), values.size()), values, "", call.getIterator());
  if (function.many) {
    const int count = ir::values_at_once(dtype, level);
    const std::string many = value_symbol(op, dtype, count);
    auto* type = llvm::FixedVectorType::get(call.getType(), static_cast<unsigned>(count));
    llvm::appendToCompilerUsed(module, {declare(module, many, type, values.size())});
    const std::string shape = std::to_string(count) + std::string(values.size(), 'v') + "_" + one + "(";
    const std::string masked = make_masked(module, many, type, values.size());
    llvm::VFABI::setVectorVariantNames(made,
                                       {"_ZGV_LLVM_N" + shape + many + ")", "_ZGV_LLVM_M" + shape + masked + ")"});
  }
  call.replaceAllUsesWith(made);
  call.eraseFromParent();
}

/// What LLVM computes by instructions.
llvm::Intrinsic::ID find_intrinsic(llvm::StringRef name, bool is_float) {
  if (is_float && !name.consume_back("f")) return llvm::Intrinsic::not_intrinsic;
  return llvm::StringSwitch<llvm::Intrinsic::ID>(name)
      .Case("sqrt", llvm::Intrinsic::sqrt)
      .Case("fabs", llvm::Intrinsic::fabs)
      .Case("floor", llvm::Intrinsic::floor)
      .Case("ceil", llvm::Intrinsic::ceil)
      .Case("trunc", llvm::Intrinsic::trunc)
      .Case("rint", llvm::Intrinsic::rint)
      .Case("nearbyint", llvm::Intrinsic::nearbyint)
      .Case("round", llvm::Intrinsic::round)
      .Case("copysign", llvm::Intrinsic::copysign)
      .Case("fmin", llvm::Intrinsic::minnum)
      .Case("fmax", llvm::Intrinsic::maxnum)
      .Case("fma", llvm::Intrinsic::fma)
      .Default(llvm::Intrinsic::not_intrinsic);
}

}  // namespace

void use_intrinsics(llvm::Module& module) {
  for (llvm::Function& function : module) {
    llvm::Type* type = function.getReturnType();
    if (!function.isDeclaration() || !(type->isFloatTy() || type->isDoubleTy())) continue;
    const llvm::Intrinsic::ID intrinsic = find_intrinsic(function.getName(), type->isFloatTy());
    if (intrinsic == llvm::Intrinsic::not_intrinsic) continue;
    llvm::Function* made = llvm::Intrinsic::getDeclaration(&module, intrinsic, {type});
    if (made->getFunctionType() != function.getFunctionType()) continue;
    std::vector<llvm::CallInst*> calls;
    for (llvm::User* user : function.users())
      if (auto* call = llvm::dyn_cast<llvm::CallInst>(user); call && call->getCalledFunction() == &function)
        calls.push_back(call);
    for (llvm::CallInst* call : calls) {
      const std::vector<llvm::Value*> values(call->arg_begin(), call->arg_end());
      auto* computed = llvm::CallInst::Create(made, values, "", call->getIterator());
      computed->copyFastMathFlags(call);
      call->replaceAllUsesWith(computed);
      call->eraseFromParent();
    }
  }
}

void call_math(llvm::Module& module, int level) {
  std::vector<llvm::CallInst*> calls;
  for (llvm::Function& function : module)
    for (llvm::Instruction& i : llvm::instructions(function))
      if (auto* call = llvm::dyn_cast<llvm::CallInst>(&i); call && call->getCalledFunction()) calls.push_back(call);
  for (llvm::CallInst* call : calls) {
    const bool is_float = call->getType()->isFloatTy();
    if (!is_float && !call->getType()->isDoubleTy()) continue;
    const llvm::Function& called = *call->getCalledFunction();
    if (!called.isDeclaration()) continue;
    const DType dtype = is_float ? DType::float32 : DType::float64;
    if (const std::optional<ir::Opcode> op = find_opcode(called.getName()))
      if (lanes::is_long_function(*op, dtype)) replace(*call, *op, dtype, level);
  }
}

}  // namespace tessera::codegen::cuda_cpp
