// A function of numbers that other code on a device calls: the kernel's body, with a block of parameters on the stack
// that the optimiser dissolves.
#include "tessera/base/error.h"
#include "tessera/codegen/device_parameters.h"
#include "tessera/codegen/emit/emitter.h"
#include "tessera/codegen/emit/primitives/primitives.h"

#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/Transforms/Utils/Cloning.h>

namespace tessera::codegen {

namespace {

constexpr int user_axes = 6;

}  // namespace

void Grid::emit_function(const DeviceFunction& wanted) {
  invariant(kernel_.ndim == user_axes && kernel_.buffers.size() <= 1, "codegen: {} is no function of numbers",
            kernel_.name);
  w_.is_callable = true;
  constexpr int most_threads = 1024;
  llvm::Function* body = emit_kernel(
      "body", {.capability = wanted.capability, .threads = most_threads, .disjoint = true, .exact_grid = true});
  body->setLinkage(llvm::GlobalValue::InternalLinkage);
  b_.SetCurrentDebugLocation({});  // what is emitted from here on has no line
  llvm::Type* part = wanted.result ? memory_type(context_, *wanted.result) : nullptr;
  llvm::Type* result = !part ? b_.getVoidTy() : is_complex(*wanted.result) ? llvm::StructType::get(part, part) : part;
  std::vector<llvm::Type*> parameters;
  if (wanted.is_numbas) parameters.push_back(b_.getPtrTy());
  for (DType dtype : kernel_.scalars) {
    parameters.push_back(memory_type(context_, dtype));
    if (is_complex(dtype)) parameters.push_back(memory_type(context_, dtype));
  }
  auto* type = llvm::FunctionType::get(wanted.is_numbas ? b_.getInt32Ty() : result, parameters, false);
  llvm::Function* function = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, wanted.name, module_);
  b_.SetInsertPoint(llvm::BasicBlock::Create(context_, "entry", function));
  const DeviceParameters at(kernel_);
  llvm::Value* block = b_.CreateAlloca(b_.getInt8Ty(), b_.getInt64(static_cast<uint64_t>(at.size)), "block");
  llvm::cast<llvm::AllocaInst>(block)->setAlignment(llvm::Align(8));
  llvm::Value* words = b_.CreateAlloca(word_, b_.getInt64(3), "words");
  const auto put = [&](int64_t offset, llvm::Value* value) {
    b_.CreateStore(value, b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), block, offset));
  };
  for (int axis = 0; axis < user_axes; ++axis)
    put(at.extents + 8 * axis, e_.frame.special_register(static_cast<GridNumber>(user_axes + axis)));
  if (!kernel_.buffers.empty()) {
    put(at.buffers, words);
    put(at.strides, b_.getInt64(8));
  }
  unsigned parameter = wanted.is_numbas ? 1 : 0;
  for (size_t k = 0; k < kernel_.scalars.size(); ++k) {
    const DType dtype = kernel_.scalars[k];
    const int64_t offset = at.scalars + 16 * static_cast<int64_t>(k);
    put(offset, function->getArg(parameter++));
    if (is_complex(dtype)) put(offset + part_size(dtype), function->getArg(parameter++));
  }
  llvm::CallInst* call = b_.CreateCall(body, {block});
  const auto word = [&](uint64_t k) { return b_.CreateLoad(word_, b_.CreateConstInBoundsGEP1_64(word_, words, k)); };
  llvm::Value* value = nullptr;
  if (wanted.result) {
    const DType number = real_dtype(*wanted.result);
    value = e_.calls.from_word(word(1), wanted.computed, number);
    if (is_complex(*wanted.result)) {
      llvm::Value* both = b_.CreateInsertValue(llvm::PoisonValue::get(result), value, 0);
      value = b_.CreateInsertValue(both, e_.calls.from_word(word(2), wanted.computed, number), 1);
    }
  }
  if (wanted.is_numbas) {
    if (value) b_.CreateStore(value, function->getArg(0));
    value = b_.getInt32(0);  // no failure
  }
  if (value)
    b_.CreateRet(value);
  else
    b_.CreateRetVoid();
  if (llvm::DISubprogram* lines = body->getSubprogram()) {
    body->setSubprogram(nullptr);
    lines->replaceLinkageName(llvm::MDString::get(context_, wanted.name));
    function->setSubprogram(lines);
  }
  llvm::InlineFunctionInfo info;
  const llvm::InlineResult inlined = llvm::InlineFunction(*call, info);
  invariant(inlined.isSuccess(), "codegen: {}", inlined.getFailureReason());
  body->eraseFromParent();
  if (llvm::DISubprogram* lines = function->getSubprogram()) {
    const llvm::DebugLoc first = llvm::DILocation::get(context_, lines->getLine(), 0, lines);
    for (llvm::BasicBlock& code : *function)
      for (llvm::Instruction& i : code)
        if (!i.getDebugLoc()) i.setDebugLoc(first);
  }
}

/// The number that a word of the results holds, in memory's form.
llvm::Value* Calls::from_word(llvm::Value* word, DType from, DType dtype) {
  llvm::Type* type = value_type(context_, from);
  llvm::Value* bits = b_.CreateTrunc(word, b_.getIntNTy(type->getScalarSizeInBits()));
  llvm::Value* value = emit_cast(b_, b_.CreateBitCast(bits, type), from, dtype, machine_);
  return is_boolean(dtype) ? b_.CreateZExt(value, b_.getInt8Ty()) : value;
}

}  // namespace tessera::codegen
