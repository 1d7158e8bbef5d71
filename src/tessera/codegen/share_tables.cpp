#include "tessera/codegen/share_tables.h"

#include "tessera/codegen/address_spaces.h"

#include <algorithm>
#include <string_view>

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/Module.h>

namespace tessera::codegen {

namespace {

/// Tables of the math library that every call reads at an index of its own.
constexpr std::string_view tables[] = {"_ZN7tessera4math8erf_rowsE"};
constexpr int least_threads = 64;
/// Static shared memory of a block.
constexpr uint64_t most_shared_bytes = uint64_t{48} << 10;

uint64_t bytes_of(const llvm::GlobalVariable& variable) {
  return variable.getParent()->getDataLayout().getTypeAllocSize(variable.getValueType());
}

/// Shared arrays of known size leave room for the table; a launch whose size is only known then gets what it asks for.
bool fits(const llvm::GlobalVariable& table) {
  uint64_t bytes = bytes_of(table);
  for (const llvm::GlobalVariable& variable : table.getParent()->globals()) {
    if (variable.getAddressSpace() != shared_memory) continue;
    if (!variable.hasInitializer()) return false;
    bytes += bytes_of(variable);
  }
  return bytes <= most_shared_bytes;
}

/// The thread's number in its block and the number of threads.
std::pair<llvm::Value*, llvm::Value*> thread_of_block(llvm::IRBuilder<>& b) {
  const auto read = [&](llvm::Intrinsic::ID id) { return b.CreateIntrinsic(id, {}, {}); };
  llvm::Value* width = read(llvm::Intrinsic::nvvm_read_ptx_sreg_ntid_x);
  llvm::Value* height = read(llvm::Intrinsic::nvvm_read_ptx_sreg_ntid_y);
  llvm::Value* row = b.CreateAdd(b.CreateMul(read(llvm::Intrinsic::nvvm_read_ptx_sreg_tid_z), height),
                                 read(llvm::Intrinsic::nvvm_read_ptx_sreg_tid_y));
  llvm::Value* thread = b.CreateAdd(b.CreateMul(row, width), read(llvm::Intrinsic::nvvm_read_ptx_sreg_tid_x));
  llvm::Value* area = b.CreateMul(width, height);
  return {thread, b.CreateMul(area, read(llvm::Intrinsic::nvvm_read_ptx_sreg_ntid_z))};
}

/// Copies the table by 16 bytes a thread and waits, at the end of the kernel's first block, where no thread has left.
void copy_at_start(llvm::Function& kernel, llvm::GlobalVariable* from, llvm::GlobalVariable* to) {
  llvm::BasicBlock* start = &kernel.getEntryBlock();
  llvm::BasicBlock* body = start->splitBasicBlock(start->getTerminator(), "body");
  auto* copy = llvm::BasicBlock::Create(kernel.getContext(), "copy", &kernel, body);
  auto* copied = llvm::BasicBlock::Create(kernel.getContext(), "copied", &kernel, body);
  start->getTerminator()->eraseFromParent();
  llvm::IRBuilder<> b(start);
  llvm::Type* part = llvm::FixedVectorType::get(b.getInt64Ty(), 2);
  const auto [thread, threads] = thread_of_block(b);
  llvm::Value* parts = b.getInt32(static_cast<uint32_t>(bytes_of(*from) / 16));
  b.CreateCondBr(b.CreateICmpULT(thread, parts), copy, copied);
  b.SetInsertPoint(copy);
  llvm::PHINode* place = b.CreatePHI(b.getInt32Ty(), 2);
  llvm::Value* value = b.CreateAlignedLoad(part, b.CreateInBoundsGEP(part, from, place), llvm::Align(16));
  b.CreateAlignedStore(value, b.CreateInBoundsGEP(part, to, place), llvm::Align(16));
  llvm::Value* next = b.CreateAdd(place, threads);
  place->addIncoming(thread, start);
  place->addIncoming(next, copy);
  b.CreateCondBr(b.CreateICmpULT(next, parts), copy, copied);
  b.SetInsertPoint(copied);
  b.CreateIntrinsic(llvm::Intrinsic::nvvm_barrier0, {}, {});
  b.CreateBr(body);
}

}  // namespace

void share_tables(llvm::Module& module, llvm::Function& kernel, int threads) {
  if (threads != 0 && threads < least_threads) return;
  for (std::string_view name : tables) {
    llvm::GlobalVariable* table = module.getNamedGlobal(name);
    if (!table || table->use_empty() || !fits(*table)) continue;
    auto* shared = new llvm::GlobalVariable(module, table->getValueType(), false, llvm::GlobalValue::InternalLinkage,
                                            llvm::PoisonValue::get(table->getValueType()), "table", nullptr,
                                            llvm::GlobalValue::NotThreadLocal, shared_memory);
    shared->setAlignment(llvm::Align(std::max<uint64_t>(16, table->getAlign().valueOrOne().value())));
    table->replaceAllUsesWith(llvm::ConstantExpr::getAddrSpaceCast(shared, table->getType()));
    copy_at_start(kernel, table, shared);
  }
}

}  // namespace tessera::codegen
