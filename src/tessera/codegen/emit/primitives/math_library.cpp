#include "tessera/codegen/emit/primitives/math_library.h"

#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/TargetParser/Triple.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include "tessera/base/error.h"
#include "tessera/codegen/target/device_code.h"

extern const unsigned char tessera_math_bitcode[];
extern const unsigned long tessera_math_bitcode_size;

namespace tessera::codegen {

namespace {

/// Copies the globals that a cloned body refers to: tables of constants and further functions.
class Importer final : public llvm::ValueMaterializer {
 public:
  Importer(MathLibrary& library, llvm::Module& module) : library_(library), module_(module) {}

  llvm::Value* materialize(llvm::Value* value) override {
    if (auto* function = llvm::dyn_cast<llvm::Function>(value)) {
      if (function->isIntrinsic())
        return module_.getOrInsertFunction(function->getName(), function->getFunctionType()).getCallee();
      return library_.import(function->getName(), module_);
    }
    auto* table = llvm::dyn_cast<llvm::GlobalVariable>(value);
    if (!table) return nullptr;
    if (llvm::GlobalVariable* known = module_.getNamedGlobal(table->getName())) return known;
    auto* copy = new llvm::GlobalVariable(module_, table->getValueType(), true, llvm::GlobalValue::PrivateLinkage,
                                          table->getInitializer(), table->getName());
    copy->setAlignment(table->getAlign());
    copy->setUnnamedAddr(llvm::GlobalValue::UnnamedAddr::Global);
    return copy;
  }

 private:
  MathLibrary& library_;
  llvm::Module& module_;
};

/// x / y by the instructions of the device's own division, valid within the range of its guards, in which x and y are
/// known to be.
llvm::Function* make_device_quotient(llvm::StringRef name, llvm::Module& module) {
  llvm::IRBuilder<> b(module.getContext());
  llvm::Type* type = b.getDoubleTy();
  auto* function = llvm::Function::Create(llvm::FunctionType::get(type, {type, type}, false),
                                          llvm::GlobalValue::InternalLinkage, name, module);
  function->addFnAttr(llvm::Attribute::AlwaysInline);
  function->addFnAttr(llvm::Attribute::NoUnwind);
  b.SetInsertPoint(llvm::BasicBlock::Create(module.getContext(), "", function));
  llvm::Value *x = function->getArg(0), *y = function->getArg(1), *one = llvm::ConstantFP::get(type, 1.0);
  const auto fma = [&](llvm::Value* a, llvm::Value* c, llvm::Value* d) {
    return b.CreateIntrinsic(llvm::Intrinsic::fma, {type}, {a, c, d});
  };
  llvm::Value* minus = b.CreateFNeg(y);
  llvm::Value* guess = device::guess_reciprocal(b, y);
  guess = b.CreateBitCast(b.CreateOr(b.CreateBitCast(guess, b.getInt64Ty()), 1),
                          type);  // the side from which the Newton steps converge correctly
  llvm::Value* error = fma(minus, guess, one);
  llvm::Value* inverse = fma(guess, fma(error, error, error), guess);
  inverse = fma(inverse, fma(minus, inverse, one), inverse);
  llvm::Value* quotient = b.CreateFMul(x, inverse);
  b.CreateRet(fma(inverse, fma(minus, quotient, x), quotient));
  return function;
}

}  // namespace

llvm::Module& MathLibrary::source() {
  if (source_) return *source_;
  const llvm::StringRef bytes(reinterpret_cast<const char*>(tessera_math_bitcode), tessera_math_bitcode_size);
  auto parsed = llvm::getLazyBitcodeModule(llvm::MemoryBufferRef(bytes, "tessera_math"), context_);
  if (!parsed) invariant(false, "codegen: math bitcode: {}", llvm::toString(parsed.takeError()));
  source_ = std::move(*parsed);
  return *source_;
}

llvm::Function* MathLibrary::import(llvm::StringRef name, llvm::Module& module) {
  if (llvm::Function* known = module.getFunction(name)) return known;
  if (name == "tessera_math_moderate_quotient" && device::is_of_device(module))
    return make_device_quotient(name, module);
  llvm::Function* original = source().getFunction(name);
  invariant(original != nullptr, "codegen: no math function {}", name.str());
  if (llvm::Error error = original->materialize())
    invariant(false, "codegen: {}: {}", name.str(), llvm::toString(std::move(error)));
  llvm::Function* copy =
      llvm::Function::Create(original->getFunctionType(), llvm::GlobalValue::InternalLinkage, name, module);
  llvm::ValueToValueMapTy map;
  for (unsigned k = 0; k < original->arg_size(); ++k) map[original->getArg(k)] = copy->getArg(k);
  llvm::SmallVector<llvm::ReturnInst*, 2> returns;
  Importer importer(*this, module);
  llvm::CloneFunctionInto(copy, original, map, llvm::CloneFunctionChangeType::DifferentModule, returns, "", nullptr,
                          nullptr, &importer);
  copy->setLinkage(llvm::GlobalValue::InternalLinkage);
  copy->setAttributes({});
  copy->addFnAttr(llvm::Attribute::AlwaysInline);
  copy->addFnAttr(llvm::Attribute::NoUnwind);
  copy->setDSOLocal(true);
  copy->setComdat(nullptr);
  return copy;
}

}  // namespace tessera::codegen
