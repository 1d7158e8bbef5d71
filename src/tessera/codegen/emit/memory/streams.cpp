// Staged results: a strip's values are first stored on the stack. Streamed results are copied from there by
// non-temporal stores, in whole cache lines whatever the destination's alignment; results that may replace an operand
// stay there until the operand is no longer needed.
#include "tessera/codegen/emit/emitter.h"
#include "tessera/codegen/emit/symbols.h"

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

}  // namespace

/// Whether every lane writes its own element of a contiguous result, and nothing else accesses the result.
bool Streams::can_stage(Value store) const {
  const ir::Instruction& i = kernel_.instructions[store];
  std::span<const Value> indices = kernel_.operands(store).subspan(1);
  if (kernel_.buffers[i.imm].inner != ir::InnerStride::contiguous || count_accesses(kernel_, i.imm) != 1) return false;
  if (static_cast<int>(indices.size()) != kernel_.ndim || lane_axes(kernel_) > 1) return false;
  for (int axis = 0; axis < kernel_.ndim; ++axis) {
    const ir::Instruction& index = kernel_.instructions[indices[axis]];
    if (index.op != Opcode::index || static_cast<int>(index.imm) != axis) return false;
  }
  return true;
}

void Streams::find_streams(const Schedule& schedule) {
  const bool watches = e_.events.can_watch();
  for (const Step& step : schedule.steps) {
    for (Value v : step.group.members) {
      const ir::Instruction& i = kernel_.instructions[v];
      if (i.op != Opcode::store || kernel_.ndim == 0 || !can_stage(v)) continue;
      const bool streamed = kernel_.buffers[i.imm].streaming;
      if (streamed || (watches && e_.events.may_replace_operand(i.imm)))
        streams_.push_back({.store = v, .strip = nullptr, .always = streamed});
    }
  }
}

Streams::Stream* Streams::stream_of(Value store) {
  for (Stream& stream : streams_)
    if (stream.store == store) return &stream;
  return nullptr;
}

void Streams::emit_staged_store(Stream& stream) {
  const DType dtype = type_of(stream.store);
  llvm::Type* type =
      is_complex(dtype) ? llvm::ArrayType::get(value_type(context_, dtype), 2) : memory_type(context_, dtype);
  stream.strip = e_.frame.stack_array(type, w_.strip.size, "strip");
  llvm::Value* row = e_.frame.at_level(dependence_.row(), [&]() -> llvm::Value* {
    llvm::Value* staged = b_.CreateGEP(type, stream.strip, b_.CreateNeg(w_.strip.begin));
    if (stream.always) return staged;
    return b_.CreateSelect(e_.events.shares_memory(), staged, destination(stream, b_.getInt64(0)));
  });
  llvm::Value* address = b_.CreateGEP(type, row, w_.strip.lane);
  const int buffer = stream.always ? no_buffer : static_cast<int>(kernel_.instructions[stream.store].imm);
  e_.memory.store_parts(e_.memory.part_addresses(address, dtype), get(kernel_.operands(stream.store)[0]), dtype,
                        buffer);
}

/// The address of the result of this lane of the row.
llvm::Value* Streams::destination(const Stream& stream, llvm::Value* lane) {
  llvm::Value* current = std::exchange(w_.axis_index.back(), lane);
  llvm::Value* address =
      e_.memory.element_address(kernel_.instructions[stream.store].imm, kernel_.operands(stream.store).subspan(1));
  w_.axis_index.back() = current;
  return address;
}

/// Copies the strip's staged results to their destinations.
void Streams::flush_streams() {
  if (streams_.empty()) return;
  llvm::FunctionCallee copy =
      module_.getOrInsertFunction(stream_copy_symbol, b_.getVoidTy(), b_.getPtrTy(), b_.getPtrTy(), word_);
  llvm::cast<llvm::Function>(copy.getCallee())->addFnAttr(llvm::Attribute::NoUnwind);
  llvm::Value* lanes = b_.CreateSub(w_.strip.end, w_.strip.begin);
  const auto bytes = [&](const Stream& stream) {
    return b_.CreateMul(lanes, b_.getInt64(itemsize(type_of(stream.store))));
  };
  bool has_waiting = false;
  for (const Stream& stream : streams_) {
    has_waiting |= !stream.always;
    if (stream.always) b_.CreateCall(copy, {destination(stream, w_.strip.begin), stream.strip, bytes(stream)});
  }
  if (!has_waiting) return;
  llvm::BasicBlock* waiting = llvm::BasicBlock::Create(context_, "waiting", function_);
  llvm::BasicBlock* done = llvm::BasicBlock::Create(context_, "", function_);
  b_.CreateCondBr(e_.events.shares_memory(), waiting, done);
  b_.SetInsertPoint(waiting);
  for (const Stream& stream : streams_) {
    const llvm::MaybeAlign align(part_size(type_of(stream.store)));
    if (!stream.always) b_.CreateMemCpy(destination(stream, w_.strip.begin), align, stream.strip, align, bytes(stream));
  }
  b_.CreateBr(done);
  b_.SetInsertPoint(done);
}

/// Orders non-temporal stores before any later store that signals the kernel's completion.
void Streams::fence_streams() {
  for (const Stream& stream : streams_) {
    if (!stream.always) continue;
    b_.CreateIntrinsic(llvm::Intrinsic::x86_sse_sfence, {}, {});
    return;
  }
}

}  // namespace tessera::codegen
