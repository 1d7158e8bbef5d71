#include "tessera/codegen/cuda_cpp/builtins.h"

#include <cstddef>

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>

#include "tessera/base/error.h"
#include "tessera/codegen/cuda_cpp/module_record.h"

namespace tessera::codegen::cuda_cpp {

namespace {

enum Parameter : unsigned {
  launch_parameter,
  block_parameter,
  uniform_parameter,
  thread_x,
  thread_y,
  thread_z,
  linear_thread
};

llvm::LoadInst* load_invariant(llvm::IRBuilder<>& b, llvm::Type* type, llvm::Value* base, size_t offset) {
  llvm::LoadInst* load = b.CreateLoad(type, b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), base, offset));
  load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(b.getContext(), {}));
  return load;
}

llvm::Value* load_index(llvm::IRBuilder<>& b, llvm::Value* state, unsigned axis) {
  return load_invariant(b, b.getInt32Ty(), state, offsetof(BlockState, index) + axis * sizeof(uint32_t));
}

unsigned axis_of(const llvm::CallInst& call) {
  const auto* axis = llvm::dyn_cast<llvm::ConstantInt>(call.getArgOperand(0));
  invariant(axis && axis->getZExtValue() < 3, "codegen: a coordinate of CUDA C++ names no axis");
  return static_cast<unsigned>(axis->getZExtValue());
}

/// What a call of one of the headers' functions gives; null for other calls.
llvm::Value* replacement(llvm::CallInst& call, llvm::StringRef name) {
  llvm::Function& thread = *call.getFunction();
  llvm::IRBuilder<> b(&call);
  llvm::Value *launch = thread.getArg(launch_parameter), *state = thread.getArg(block_parameter),
              *t = thread.getArg(linear_thread);
  const auto element = [&](BlockField field, llvm::Type* type, llvm::Value* index) {
    return b.CreateInBoundsGEP(type, load_field(b, state, field), index);
  };
  if (name == "__tessera_thread") return thread.getArg(thread_x + axis_of(call));
  if (name == "__tessera_linear_thread") return b.CreateTrunc(t, b.getInt32Ty());
  if (name == "__tessera_block") return load_index(b, state, axis_of(call));
  if (name == "__tessera_block_extent") return load_extent(b, launch, LaunchField::block, axis_of(call));
  if (name == "__tessera_grid_extent") return load_extent(b, launch, LaunchField::grid, axis_of(call));
  if (name == "__tessera_shared_bytes")
    return b.CreateTrunc(load_invariant(b, b.getInt64Ty(), launch, offsetof(HostLaunch, shared_bytes)), b.getInt32Ty());
  if (name == "__tessera_shared") return load_field(b, state, BlockField::shared);
  if (name == "__tessera_publish")
    return b.CreateStore(call.getArgOperand(0), element(BlockField::published, b.getInt64Ty(), t));
  if (name == "__tessera_visible") {
    llvm::Value* warp = b.CreateAnd(t, b.getInt64(~uint64_t{warp_size - 1}));
    llvm::Value* lane = b.CreateAnd(b.CreateZExt(call.getArgOperand(0), b.getInt64Ty()), b.getInt64(warp_size - 1));
    return b.CreateLoad(b.getInt64Ty(), element(BlockField::visible, b.getInt64Ty(), b.CreateOr(warp, lane)));
  }
  if (name == "__tessera_vote")
    return b.CreateLoad(b.getInt32Ty(), element(BlockField::votes, b.getInt32Ty(), b.CreateLShr(t, 5)));
  if (name == "__tessera_fail") {
    llvm::FunctionCallee fail =
        thread.getParent()->getOrInsertFunction(fail_symbol, b.getVoidTy(), b.getPtrTy(), b.getPtrTy(), b.getInt64Ty(),
                                                b.getPtrTy(), b.getPtrTy(), b.getInt32Ty());
    return b.CreateCall(fail, {launch, state, t, call.getArgOperand(0), call.getArgOperand(1), call.getArgOperand(2)});
  }
  if (name == "__tessera_access") {
    llvm::Type *pointer = b.getPtrTy(), *wide = b.getInt64Ty(), *word = b.getInt32Ty();
    llvm::FunctionCallee access = thread.getParent()->getOrInsertFunction(
        access_symbol, word, pointer, wide, pointer, wide, pointer, wide, word, pointer, pointer, pointer);
    llvm::SmallVector<llvm::Value*, 10> given{state, t};
    given.append(call.arg_begin(), call.arg_end());
    return b.CreateICmpNE(b.CreateCall(access, given), b.getInt32(0));
  }
  if (name == "__tessera_divisor" || name == "__tessera_return" || name == "__tessera_fence") {
    llvm::FunctionCallee told =
        thread.getParent()->getOrInsertFunction(name == "__tessera_return"  ? return_symbol
                                                : name == "__tessera_fence" ? fence_symbol
                                                                            : divisor_symbol,
                                                b.getVoidTy(), b.getPtrTy(), b.getInt64Ty(), b.getPtrTy());
    return b.CreateCall(
        told, {state, t, call.arg_size() ? call.getArgOperand(0) : llvm::ConstantPointerNull::get(b.getPtrTy())});
  }
  if (name == "__tessera_count") return b.CreateTrunc(load_field(b, state, BlockField::count), b.getInt32Ty());
  if (name == "__tessera_arrived") return b.CreateTrunc(load_field(b, state, BlockField::arrived), b.getInt32Ty());
  return nullptr;
}

}  // namespace

llvm::Value* load_field(llvm::IRBuilder<>& b, llvm::Value* state, BlockField field) {
  static_assert(offsetof(BlockState, shared) == 16 && offsetof(BlockState, arrived) == 16 + 9 * 8);
  const size_t offset = offsetof(BlockState, shared) + static_cast<size_t>(field) * 8;
  if (field < BlockField::count) return load_invariant(b, b.getPtrTy(), state, offset);
  return b.CreateLoad(b.getInt64Ty(), b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), state, offset));
}

llvm::Value* load_extent(llvm::IRBuilder<>& b, llvm::Value* launch, LaunchField field, unsigned axis) {
  const size_t offset = field == LaunchField::grid ? offsetof(HostLaunch, grid) : offsetof(HostLaunch, block);
  return load_invariant(b, b.getInt32Ty(), launch, offset + axis * sizeof(uint32_t));
}

llvm::Value* load_rows(llvm::IRBuilder<>& b, llvm::Value* launch) {
  llvm::Value* threads = b.CreateZExt(load_extent(b, launch, LaunchField::block, 0), b.getInt64Ty());
  for (unsigned axis : {1u, 2u})
    threads = b.CreateMul(threads, b.CreateZExt(load_extent(b, launch, LaunchField::block, axis), b.getInt64Ty()), "",
                          true, true);
  return b.CreateAnd(b.CreateAdd(threads, b.getInt64(15)), b.getInt64(~uint64_t{15}));
}

std::vector<llvm::Value*> load_arguments(llvm::IRBuilder<>& b, const llvm::Function& kernel, llvm::Value* launch) {
  llvm::Value* values = load_invariant(b, b.getPtrTy(), launch, offsetof(HostLaunch, values));
  std::vector<llvm::Value*> loaded;
  for (const llvm::Argument& argument : kernel.args()) {
    llvm::Value* address = load_invariant(b, b.getPtrTy(), values, argument.getArgNo() * sizeof(void*));
    if (kernel.getAttributes().hasParamAttr(argument.getArgNo(), by_value_attribute)) {
      loaded.push_back(address);
      continue;
    }
    llvm::Type* type = argument.getType();
    if (type->isIntegerTy(1)) {
      loaded.push_back(b.CreateTrunc(b.CreateAlignedLoad(b.getInt8Ty(), address, llvm::Align(1)), type));
      continue;
    }
    llvm::LoadInst* load = b.CreateAlignedLoad(type, address, llvm::Align(1));
    load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(b.getContext(), {}));
    loaded.push_back(load);
  }
  return loaded;
}

void replace_builtins(llvm::Function& thread) {
  std::vector<llvm::CallInst*> calls;
  for (llvm::Instruction& i : llvm::instructions(thread))
    if (auto* call = llvm::dyn_cast<llvm::CallInst>(&i); call && call->getCalledFunction()) calls.push_back(call);
  for (llvm::CallInst* call : calls) {
    llvm::Value* value = replacement(*call, call->getCalledFunction()->getName());
    if (!value) continue;
    if (!call->getType()->isVoidTy()) call->replaceAllUsesWith(value);
    call->eraseFromParent();
  }
}

}  // namespace tessera::codegen::cuda_cpp
