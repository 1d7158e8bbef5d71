// Streamed results: a strip's values go to the stack first and from there past the caches, in whole lines whatever the
// destination's alignment.
#include "tessera/codegen/emitter.h"

#include <llvm/IR/IntrinsicsX86.h>

namespace tessera::codegen {

using ir::Opcode;
using ir::Value;

namespace {

int count_accesses(const ir::Kernel& kernel, uint32_t buffer) {
  int count = 0;
  for (const ir::Region& region : kernel.regions) {
    for (Value v : region.body) {
      const ir::Instruction& i = kernel.instructions[v];
      count += (i.op == Opcode::load || i.op == Opcode::store || i.op == Opcode::atomic) && i.imm == buffer;
    }
  }
  return count;
}

/// Every lane writes its own element.
bool stores_own_element(const ir::Kernel& kernel, Value store) {
  std::span<const Value> indices = kernel.operands(store).subspan(1);
  if (static_cast<int>(indices.size()) != kernel.ndim) return false;
  for (int axis = 0; axis < kernel.ndim; ++axis) {
    const ir::Instruction& index = kernel.instructions[indices[axis]];
    if (index.op != Opcode::index || static_cast<int>(index.imm) != axis) return false;
  }
  return true;
}

}  // namespace

void Emitter::find_streams(const Schedule& schedule) {
  for (const Step& step : schedule.steps) {
    for (Value v : step.group.members) {
      const ir::Instruction& i = kernel_.instructions[v];
      if (i.op != Opcode::store) continue;
      const ir::BufferParam& buffer = kernel_.buffers[i.imm];
      const bool wanted = buffer.streaming && buffer.inner == ir::InnerStride::contiguous && kernel_.ndim > 0;
      if (!wanted || count_accesses(kernel_, i.imm) != 1 || !stores_own_element(kernel_, v)) continue;
      streams_.push_back({.store = v, .strip = nullptr});
    }
  }
}

Emitter::Stream* Emitter::stream_of(Value store) {
  for (Stream& stream : streams_)
    if (stream.store == store) return &stream;
  return nullptr;
}

void Emitter::emit_streamed_store(Stream& stream) {
  const DType dtype = type_of(stream.store);
  if (!stream.strip) {
    llvm::Value* count = strip_size_;
    if (is_complex(dtype)) count = at_level(0, [&] { return b_.CreateShl(strip_size_, 1); });
    stream.strip = stack_array(memory_type(context_, dtype), count, "stream");
  }
  llvm::Value* offset = b_.CreateMul(lane(), b_.getInt64(itemsize(dtype)));
  llvm::Value* address = b_.CreateGEP(b_.getInt8Ty(), stream.strip, offset);
  store_parts(part_addresses(address, dtype), get(kernel_.operands(stream.store)[0]), dtype, no_buffer);
}

/// Moves what the strip's lanes computed to where it belongs.
void Emitter::flush_streams() {
  if (streams_.empty()) return;
  llvm::FunctionCallee copy = module_.getOrInsertFunction(stream_copy_symbol, b_.getVoidTy(), b_.getPtrTy(), b_.getPtrTy(), word_);
  llvm::cast<llvm::Function>(copy.getCallee())->addFnAttr(llvm::Attribute::NoUnwind);
  for (const Stream& stream : streams_) {
    const ir::Instruction& store = kernel_.instructions[stream.store];
    axis_index_.back() = strip_begin_;
    llvm::Value* destination = element_address(store.imm, kernel_.operands(stream.store).subspan(1));
    llvm::Value* lanes = b_.CreateSub(strip_end_, strip_begin_);
    b_.CreateCall(copy, {destination, stream.strip, b_.CreateMul(lanes, b_.getInt64(itemsize(store.type)))});
  }
}

/// Streamed stores are ordered before whatever tells others that the kernel is done.
void Emitter::fence_streams() {
  if (!streams_.empty()) b_.CreateIntrinsic(llvm::Intrinsic::x86_sse_sfence, {}, {});
}

}  // namespace tessera::codegen
