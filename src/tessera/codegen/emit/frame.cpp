// The frame of a kernel: access to its parameters, the level at which each instruction is inserted, and memory.
#include "tessera/codegen/emit/frame.h"

#include <algorithm>

#include "tessera/codegen/emit/emitter.h"
#include "tessera/codegen/emit/symbols.h"

namespace tessera::codegen {

void Frame::open_function(llvm::Function* function) {
  function_ = function;
  function->addFnAttr(llvm::Attribute::NoUnwind);
  llvm::BasicBlock* entry = llvm::BasicBlock::Create(context_, "entry", function);
  b_.SetInsertPoint(entry);
  e_.memory.open();
}

/// Opens the next level. The block that ends here belongs to the level before it; code of that level is later inserted
/// at its end.
void Frame::open_level() {
  llvm::BasicBlock* next = llvm::BasicBlock::Create(context_, "", function_);
  hoist_points_.push_back(b_.CreateBr(next));
  b_.SetInsertPoint(next);
}

llvm::Instruction* Frame::hoist_point(int level) const {
  if (level < static_cast<int>(hoist_points_.size())) return hoist_points_[level];
  return level == dependence_.row() && w_.in_lane ? row_point_ : nullptr;
}

llvm::Value* Frame::at_level(int level, const std::function<llvm::Value*()>& emit) {
  llvm::Instruction* point = hoist_point(level);
  if (!point) return emit();
  llvm::IRBuilderBase::InsertPointGuard guard(b_);
  b_.SetInsertPoint(point);
  return emit();
}

/// The address of a field's words: KernelArguments points to them, a device's parameter block contains them.
llvm::Value* Frame::argument_field(int field) {
  llvm::Value*& cached = argument_words_[static_cast<uint64_t>(field) << 32];
  if (!cached) {
    cached = at_level(0, [&]() -> llvm::Value* {
      if (machine_.kind == Machine::Kind::device) return device_field(field);
      return b_.CreateLoad(b_.getPtrTy(), b_.CreateConstInBoundsGEP1_64(b_.getInt64Ty(), function_->getArg(0), field),
                           "field");
    });
  }
  return cached;
}

/// One word of the arguments, read once at the start.
llvm::Value* Frame::argument_word(int field, llvm::Type* type, int64_t offset, const char* name) {
  llvm::Value* base = argument_field(field);
  llvm::Value*& cached = argument_words_[static_cast<uint64_t>(field) << 32 | static_cast<uint64_t>(offset + 1)];
  if (!cached) {
    cached = at_level(0, [&] {
      llvm::Value* address = b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), base, offset);
      const uint64_t size = type->isPointerTy() ? 8 : type->getPrimitiveSizeInBits() / 8;
      return b_.CreateAlignedLoad(type, address, llvm::Align(std::min<uint64_t>(8, std::max<uint64_t>(1, size))), name);
    });
  }
  return cached;
}

llvm::Value* Frame::extent(int axis) {
  if (const int known = kernel_.known_extent(axis)) return b_.getInt64(static_cast<uint64_t>(known));
  return argument_word(field_extents, word_, axis * 8, "extent");
}

Parts Frame::scalar(uint32_t param) {
  const DType dtype = kernel_.scalars[param];
  llvm::Type* type = memory_type(context_, dtype);
  Parts parts{argument_word(field_scalars, type, param * 16, "scalar")};
  if (is_complex(dtype)) parts.second = argument_word(field_scalars, type, param * 16 + part_size(dtype), "scalar");
  if (is_boolean(dtype)) parts.first = at_level(0, [&] { return b_.CreateIsNotNull(parts.first); });
  return parts;
}

llvm::Value* Frame::stack_array(llvm::Type* type, llvm::Value* count, const char* name) {
  llvm::IRBuilderBase::InsertPointGuard guard(b_);
  if (uses_heap_) {
    b_.SetInsertPoint(hoist_points_[0]);
    ++heap_arrays_;
    const uint64_t size = module_.getDataLayout().getTypeAllocSize(type);
    llvm::Value* bytes = b_.CreateMul(b_.CreateZExtOrTrunc(count, word_), b_.getInt64(size));
    llvm::FunctionCallee take = module_.getOrInsertFunction(take_memory_symbol, b_.getPtrTy(), word_);
    auto* function = llvm::cast<llvm::Function>(take.getCallee());
    function->addFnAttr(llvm::Attribute::NoUnwind);
    function->addRetAttr(llvm::Attribute::NoAlias);
    llvm::CallInst* memory = b_.CreateCall(take, {bytes}, name);
    memory->addRetAttr(llvm::Attribute::getWithAlignment(context_, llvm::Align(64)));
    return memory;
  }
  if (llvm::isa<llvm::Constant>(count)) {
    llvm::BasicBlock& entry = function_->getEntryBlock();
    b_.SetInsertPoint(&entry, entry.begin());
  } else {
    b_.SetInsertPoint(hoist_points_[0]);
  }
  llvm::AllocaInst* array = b_.CreateAlloca(type, count, name);
  array->setAlignment(
      llvm::Align(llvm::isa<llvm::ConstantInt>(count) && llvm::cast<llvm::ConstantInt>(count)->isOne() ? 8 : 64));
  return array;
}

void Frame::give_memory_back() {
  if (heap_arrays_ == 0) return;
  llvm::FunctionCallee give = module_.getOrInsertFunction(give_memory_symbol, b_.getVoidTy(), word_);
  llvm::cast<llvm::Function>(give.getCallee())->addFnAttr(llvm::Attribute::NoUnwind);
  b_.CreateCall(give, {b_.getInt64(heap_arrays_)});
}

}  // namespace tessera::codegen
