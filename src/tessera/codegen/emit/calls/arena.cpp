#include "tessera/codegen/emit/calls/arena.h"

#include <cstddef>

#include "tessera/codegen/emit/emitter.h"
#include "tessera/ir/arguments.h"
#include "tessera/ir/new_memory.h"

namespace tessera::codegen {

static_assert(offsetof(ir::KernelArguments, arena) == 8 * field_arena);
static_assert(offsetof(ir::ArrayArena, next) == 0 && offsetof(ir::ArrayArena, end) == 8 &&
              offsetof(ir::ArrayArena, begin) == 16);

namespace {

/// The arena's words.
struct ArenaWords {
  llvm::IRBuilderBase& b;
  llvm::Value* arena;

  llvm::Value* at(int which) const { return b.CreateConstInBoundsGEP1_64(b.getInt64Ty(), arena, which); }
  llvm::Value* read(int which, const char* name) const { return b.CreateLoad(b.getInt64Ty(), at(which), name); }
};

llvm::Value* release(const ArenaWords& words, llvm::Value* mark) {
  llvm::IRBuilderBase& b = words.b;
  llvm::Value *end = words.read(1, "end"), *begin = words.read(2, "begin");
  llvm::Value* is_inside = b.CreateAnd(b.CreateICmpUGE(mark, begin), b.CreateICmpULE(mark, end));
  b.CreateStore(b.CreateSelect(is_inside, mark, begin), words.at(0));
  return b.getInt64(0);
}

/// An array of so many elements of a size; the host's where it does not fit.
llvm::Value* allocate(const ArenaWords& words, llvm::Function* function, llvm::Value* elements, int64_t size,
                      bool is_zeroed, const std::function<llvm::Value*()>& ask) {
  llvm::IRBuilderBase& b = words.b;
  llvm::Value *next = words.read(0, "next"), *end = words.read(1, "end");
  // One more than whole steps: arrays without elements have an address of their own.
  llvm::Value* rounded =
      b.CreateAdd(b.CreateMul(elements, b.getInt64(static_cast<uint64_t>(size))), b.getInt64(ir::arena_alignment));
  llvm::Value* bytes = b.CreateAnd(rounded, b.getInt64(static_cast<uint64_t>(-ir::arena_alignment)));
  llvm::Value* behind = b.CreateAdd(next, bytes);
  const auto most = static_cast<uint64_t>(ir::most_arena_bytes / size);
  llvm::Value* fits = b.CreateAnd(b.CreateICmpULE(elements, b.getInt64(most)), b.CreateICmpULT(behind, end));
  const auto block = [&](const char* name) { return llvm::BasicBlock::Create(b.getContext(), name, function); };
  llvm::BasicBlock *take = block("take"), *call = block("ask"), *done = block("allocated");
  b.CreateCondBr(fits, take, call);
  b.SetInsertPoint(take);
  b.CreateStore(behind, words.at(0));
  llvm::Value* taken = b.CreateUDiv(next, b.getInt64(static_cast<uint64_t>(size)), "", true);
  if (is_zeroed)
    b.CreateMemSet(b.CreateIntToPtr(next, b.getPtrTy()), b.getInt8(0), bytes, llvm::Align(ir::arena_alignment));
  b.CreateBr(done);
  llvm::BasicBlock* from_take = b.GetInsertBlock();
  b.SetInsertPoint(call);
  llvm::Value* given = ask();
  b.CreateBr(done);
  llvm::BasicBlock* from_call = b.GetInsertBlock();
  b.SetInsertPoint(done);
  llvm::PHINode* address = b.CreatePHI(b.getInt64Ty(), 2, "new");
  address->addIncoming(taken, from_take);
  address->addIncoming(given, from_call);
  return address;
}

}  // namespace

llvm::Value* emit_arena_call(llvm::IRBuilderBase& b, llvm::Function* function, uint32_t number,
                             std::span<llvm::Value* const> words, const std::function<llvm::Value*()>& ask) {
  const bool is_new = number == ir::allocate || number == ir::allocate_zeros;
  if (!is_new && number != ir::mark_arena && number != ir::release_arena) return nullptr;
  const auto* known = is_new ? llvm::dyn_cast<llvm::ConstantInt>(words[1]) : nullptr;
  if (is_new && (!known || known->isNegative())) return nullptr;  // words of containers are the host's
  llvm::Value* field = b.CreateConstInBoundsGEP1_64(b.getInt64Ty(), function->getArg(0), field_arena);
  const ArenaWords arena{b, b.CreateLoad(b.getPtrTy(), field, "arena")};
  if (number == ir::mark_arena) return arena.read(0, "mark");
  if (number == ir::release_arena) return release(arena, words[0]);
  const int64_t size = itemsize(static_cast<DType>(known->getSExtValue()));
  return allocate(arena, function, words[0], size, number == ir::allocate_zeros, ask);
}

}  // namespace tessera::codegen
