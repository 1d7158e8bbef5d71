// Integer power, greatest common divisor and least common multiple: small functions with a loop, inlined where used.
#include "tessera/base/error.h"
#include "tessera/codegen/emit/primitives/primitives.h"

namespace tessera::codegen {

using ir::Opcode;

namespace {

/// A function (T, T) -> T of the module with one loop: start() gives the initial carried values, step() the next ones.
struct LoopFunction {
  llvm::Function* function;
  llvm::BasicBlock *entry, *body, *exit;
  Builder b;

  LoopFunction(llvm::Module& module, const std::string& name, llvm::Type* type) : b(module.getContext()) {
    llvm::LLVMContext& context = module.getContext();
    function = llvm::Function::Create(llvm::FunctionType::get(type, {type, type}, false),
                                      llvm::GlobalValue::InternalLinkage, name, module);
    function->addFnAttr(llvm::Attribute::AlwaysInline);
    function->addFnAttr(llvm::Attribute::NoUnwind);
    entry = llvm::BasicBlock::Create(context, "", function);
    body = llvm::BasicBlock::Create(context, "", function);
    exit = llvm::BasicBlock::Create(context, "", function);
    b.SetInsertPoint(entry);
  }
  llvm::PHINode* carried(llvm::Value* initial) {
    llvm::PHINode* phi = b.CreatePHI(initial->getType(), 2);
    phi->addIncoming(initial, entry);
    return phi;
  }
};

llvm::Value* magnitude(Builder& b, DType dtype, llvm::Value* x) {
  if (!is_signed_integer(dtype)) return x;
  return b.CreateSelect(b.CreateICmpSLT(x, number(x->getType(), 0)), b.CreateNeg(x), x);
}

/// Euclid's algorithm on magnitudes; gcd(0, 0) is 0.
void write_gcd(LoopFunction& f, DType dtype, bool is_lcm) {
  Builder& b = f.b;
  llvm::Value* zero = number(f.function->getReturnType(), 0);
  llvm::Value* x = magnitude(b, dtype, f.function->getArg(0));
  llvm::Value* y = magnitude(b, dtype, f.function->getArg(1));
  b.CreateCondBr(b.CreateICmpEQ(y, zero), f.exit, f.body);
  b.SetInsertPoint(f.body);
  llvm::PHINode* larger = f.carried(x);
  llvm::PHINode* smaller = f.carried(y);
  llvm::Value* remainder = b.CreateURem(larger, smaller);
  larger->addIncoming(smaller, f.body);
  smaller->addIncoming(remainder, f.body);
  b.CreateCondBr(b.CreateICmpEQ(remainder, zero), f.exit, f.body);
  b.SetInsertPoint(f.exit);
  llvm::PHINode* gcd = b.CreatePHI(x->getType(), 2);
  gcd->addIncoming(x, f.entry);
  gcd->addIncoming(smaller, f.body);
  if (!is_lcm) {
    b.CreateRet(gcd);
    return;
  }
  llvm::Value* none = b.CreateICmpEQ(gcd, zero);
  llvm::Value* reduced = b.CreateUDiv(x, b.CreateSelect(none, number(x->getType(), 1), gcd));
  b.CreateRet(b.CreateSelect(none, zero, b.CreateMul(reduced, y)));
}

/// Repeated squaring; a negative exponent gives 0, or +-1 for the bases 1 and -1.
void write_pow(LoopFunction& f, DType dtype) {
  Builder& b = f.b;
  llvm::Type* type = f.function->getReturnType();
  llvm::Value* zero = number(type, 0);
  llvm::Value* one = number(type, 1);
  llvm::Value* base = f.function->getArg(0);
  llvm::Value* exponent = f.function->getArg(1);
  llvm::Value* runs = is_signed_integer(dtype) ? b.CreateICmpSGT(exponent, zero) : b.CreateICmpNE(exponent, zero);
  b.CreateCondBr(runs, f.body, f.exit);
  b.SetInsertPoint(f.body);
  llvm::PHINode* result = f.carried(one);
  llvm::PHINode* square = f.carried(base);
  llvm::PHINode* rest = f.carried(exponent);
  llvm::Value* odd = b.CreateICmpNE(b.CreateAnd(rest, one), zero);
  llvm::Value* next = b.CreateMul(result, b.CreateSelect(odd, square, one));
  llvm::Value* halved = b.CreateLShr(rest, one);
  result->addIncoming(next, f.body);
  square->addIncoming(b.CreateMul(square, square), f.body);
  rest->addIncoming(halved, f.body);
  b.CreateCondBr(b.CreateICmpEQ(halved, zero), f.exit, f.body);
  b.SetInsertPoint(f.exit);
  llvm::PHINode* power = b.CreatePHI(type, 2);
  power->addIncoming(one, f.entry);
  power->addIncoming(next, f.body);
  if (!is_signed_integer(dtype)) {
    b.CreateRet(power);
    return;
  }
  llvm::Value* odd_exponent = b.CreateICmpNE(b.CreateAnd(exponent, one), zero);
  llvm::Value* of_minus_one = b.CreateSelect(odd_exponent, number(type, -1), one);
  llvm::Value* inverse = b.CreateSelect(b.CreateICmpEQ(base, number(type, -1)), of_minus_one, zero);
  inverse = b.CreateSelect(b.CreateICmpEQ(base, one), one, inverse);
  b.CreateRet(b.CreateSelect(b.CreateICmpSLT(exponent, zero), inverse, power));
}

}  // namespace

llvm::Function* integer_function(Opcode op, DType dtype, llvm::Module& module) {
  const std::string name = std::string(ir::name(op)) + "_" + std::string(tessera::name(dtype));
  if (llvm::Function* known = module.getFunction(name)) return known;
  LoopFunction f(module, name, value_type(module.getContext(), dtype));
  op == Opcode::pow ? write_pow(f, dtype) : write_gcd(f, dtype, op == Opcode::lcm);
  return f.function;
}

}  // namespace tessera::codegen
