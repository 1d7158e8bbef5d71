// Loads and stores: addresses are computed as far outside the loops as their terms allow; alias metadata.
#include "tessera/base/error.h"
#include "tessera/codegen/emit/emitter.h"
#include "tessera/lanes/schedule/call_depth.h"

#include <llvm/IR/MDBuilder.h>

namespace tessera::codegen {

using ir::InnerStride;
using ir::Opcode;
using ir::Value;

namespace {

/// The position of a buffer's first word in the strides and dimensions of the arguments.
int64_t first_axis(const ir::Kernel& kernel, uint32_t buffer) {
  int64_t axes = 0;
  for (uint32_t k = 0; k < buffer; ++k) axes += kernel.buffers[k].ndim;
  return axes;
}

}  // namespace

llvm::Value* Memory::base_of(uint32_t buffer) {
  return e_.frame.argument_word(field_buffers, e_.frame.data_pointer(), buffer * 8, "base");
}

llvm::Value* Memory::stride_of(uint32_t buffer, int axis) {
  const ir::BufferParam& param = kernel_.buffers[buffer];
  if (axis + 1 == param.ndim && param.inner == InnerStride::broadcast) return b_.getInt64(0);
  if (axis + 1 == param.ndim && param.inner == InnerStride::contiguous) return b_.getInt64(itemsize(param.dtype));
  if (param.strides_like >= 0) return stride_of(static_cast<uint32_t>(param.strides_like), axis);
  return e_.frame.argument_word(field_strides, word_, (first_axis(kernel_, buffer) + axis) * 8, "stride");
}

llvm::Value* Memory::dimension(uint32_t buffer, int axis) {
  return e_.frame.argument_word(field_dimensions, word_, (first_axis(kernel_, buffer) + axis) * 8, "dimension");
}

llvm::Value* Memory::as_word(Value index) {
  return b_.CreateIntCast(get_one(index), word_, is_signed_integer(type_of(index)));
}

/// base + sum(index * stride), each term at the level of its index; the outermost terms are added first.
llvm::Value* Memory::element_address(uint32_t buffer, std::span<const Value> indices) {
  const ir::BufferParam& param = kernel_.buffers[buffer];
  llvm::Value* address = base_of(buffer);
  for (int level = 0; level <= dependence_.lane(); ++level) {
    for (size_t axis = 0; axis < indices.size(); ++axis) {
      if (dependence_.level(indices[axis]) != level) continue;
      const bool is_inner = axis + 1 == param.ndim;
      if (is_inner && param.inner == InnerStride::broadcast) continue;
      address = e_.frame.at_level(level, [&]() -> llvm::Value* {
        llvm::Value* index = as_word(indices[axis]);
        if (is_inner && param.inner == InnerStride::contiguous && !is_complex(param.dtype))
          return b_.CreateGEP(memory_type(context_, param.dtype), address, index);
        const bool is_run =
            is_inner && param.inner == InnerStride::contiguous && machine_.kind == Machine::Kind::device;
        llvm::Value* stride = is_run ? b_.getInt64(itemsize(param.dtype)) : stride_of(buffer, static_cast<int>(axis));
        return b_.CreateGEP(b_.getInt8Ty(), address, b_.CreateMul(index, stride));
      });
    }
  }
  return address;
}

void Memory::open() {
  access_group_ = llvm::MDNode::getDistinct(context_, {});
  const size_t count = kernel_.buffers.size();
  own_scope_.assign(count, nullptr);
  other_scopes_.assign(count, nullptr);
  llvm::MDBuilder make(context_);
  llvm::MDNode* domain = make.createAnonymousAliasScopeDomain();
  std::vector<llvm::Metadata*> scopes(count);
  for (size_t k = 0; k < count; ++k)
    if (kernel_.buffers[k].no_alias) scopes[k] = make.createAnonymousAliasScope(domain);
  for (size_t k = 0; k < count; ++k) {
    if (!scopes[k]) continue;
    llvm::SmallVector<llvm::Metadata*, 8> others;
    for (size_t other = 0; other < count; ++other)
      if (other != k && scopes[other] && (mapping_.disjoint || !may_share_lanes(kernel_, k, other)))
        others.push_back(scopes[other]);
    own_scope_[k] = llvm::MDNode::get(context_, {scopes[k]});
    other_scopes_[k] = llvm::MDNode::get(context_, others);
  }
}

void Memory::mark_access(llvm::Instruction* access, int buffer) {
  if (buffer == no_buffer) {
    access->setMetadata(llvm::LLVMContext::MD_access_group, access_group_);
    return;
  }
  const bool is_alone = kernel_.buffers[buffer].no_alias;
  if (is_alone || loops_apart_ > 0) access->setMetadata(llvm::LLVMContext::MD_access_group, access_group_);
  if (!is_alone) return;
  access->setMetadata(llvm::LLVMContext::MD_alias_scope, own_scope_[buffer]);
  if (other_scopes_[buffer]->getNumOperands())
    access->setMetadata(llvm::LLVMContext::MD_noalias, other_scopes_[buffer]);
}

/// Whether no store of the kernel can change the buffer: a result may share an operand's memory.
bool Memory::is_constant(size_t buffer) const {
  if (w_.in_epilogue) return false;
  if (kernel_.buffers[buffer].writable || !kernel_.buffers[buffer].no_alias) return false;
  if (mapping_.disjoint) return true;
  for (size_t other = 0; other < kernel_.buffers.size(); ++other)
    if (kernel_.buffers[other].writable && may_share_lanes(kernel_, buffer, other)) return false;
  return true;
}

/// The largest power of two, up to 16, that is known to divide an index.
int64_t Memory::divisor_of(Value index) const {
  constexpr int64_t most = 16;
  const ir::Instruction& i = kernel_.instructions[index];
  const std::span<const Value> operands = kernel_.operands(index);
  if (i.op == Opcode::constant) {
    const int64_t value = kernel_.constants[i.imm].as_int();
    return value == 0 ? most : std::min(most, value & -value);
  }
  if (i.op == Opcode::mul) return std::min(most, divisor_of(operands[0]) * divisor_of(operands[1]));
  return i.op == Opcode::add ? std::min(divisor_of(operands[0]), divisor_of(operands[1])) : 1;
}

llvm::Align Memory::access_alignment(DType dtype) const {
  return llvm::Align(static_cast<uint64_t>(known_alignment_ > 0 ? known_alignment_ : part_size(dtype)));
}

Parts Memory::load_parts(Parts address, DType dtype, int buffer) {
  llvm::Type* type = memory_type(context_, dtype);
  // NumPy's views may start at any byte, but the engine passes only aligned ones to compiled code.
  llvm::Align align = access_alignment(dtype);
  const auto mark = [&](llvm::LoadInst* load) {
    mark_access(load, buffer);
    if (machine_.kind == Machine::Kind::device && buffer != no_buffer && is_constant(static_cast<size_t>(buffer)))
      load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(context_, {}));
    return load;
  };
  if (reads_whole_ && is_complex(dtype) && buffer != no_buffer) {
    auto* both = llvm::FixedVectorType::get(type, 2);
    return e_.reductions.split_parts(
        mark(b_.CreateAlignedLoad(both, address.first, llvm::Align(static_cast<uint64_t>(itemsize(dtype))))));
  }
  Parts parts;
  for (auto [from, to] : {std::pair{address.first, &parts.first}, {address.second, &parts.second}}) {
    if (!from) continue;
    llvm::LoadInst* load = mark(b_.CreateAlignedLoad(type, from, align));
    *to = is_boolean(dtype) ? b_.CreateIsNotNull(load) : load;
    align = llvm::Align(static_cast<uint64_t>(part_size(dtype)));
  }
  return parts;
}

void Memory::store_parts(Parts address, Parts value, DType dtype, int buffer) {
  llvm::Align align = access_alignment(dtype);
  for (auto [to, part] : {std::pair{address.first, value.first}, {address.second, value.second}}) {
    if (!to) continue;
    if (is_boolean(dtype)) part = b_.CreateZExt(part, b_.getInt8Ty());
    mark_access(b_.CreateAlignedStore(part, to, align), buffer);
    align = llvm::Align(static_cast<uint64_t>(part_size(dtype)));
  }
}

/// The addresses of an element's parts.
Parts Memory::part_addresses(llvm::Value* address, DType dtype) {
  if (!is_complex(dtype)) return {address};
  return {address, b_.CreateConstGEP1_64(b_.getInt8Ty(), address, part_size(dtype))};
}

/// Whether the address has no bits below the alignment.
llvm::Value* Memory::emit_is_aligned(Value v) {
  llvm::IRBuilderBase::InsertPointGuard guard(b_);
  if (llvm::Instruction* point = e_.frame.hoist_point(dependence_.level(v))) b_.SetInsertPoint(point);
  const ir::Instruction& i = kernel_.instructions[v];
  llvm::Value* address = b_.CreatePtrToInt(element_address(i.imm, kernel_.operands(v)), word_);
  return b_.CreateICmpEQ(b_.CreateAnd(address, static_cast<uint64_t>(i.attr) - 1), b_.getInt64(0));
}

void Memory::emit_load(Value v) {
  if (const Parts* given = e_.values.given(v)) return set(v, *given);
  llvm::IRBuilderBase::InsertPointGuard guard(b_);
  llvm::Instruction* point = e_.frame.hoist_point(dependence_.level(v));
  if (point) b_.SetInsertPoint(point);
  // A load hoisted above the test of the elements' alignment must not rely on that alignment.
  const bool reads_whole = std::exchange(reads_whole_, reads_whole_ && !point);
  const ir::Instruction& i = kernel_.instructions[v];
  llvm::Value* address = element_address(i.imm, kernel_.operands(v));
  if (i.attr) return set(v, load_hinted(address, i));
  known_alignment_ = i.alignment;
  if (is_complex(i.type) && i.alignment >= itemsize(i.type)) reads_whole_ = true;
  set(v, load_parts(part_addresses(address, i.type), i.type, static_cast<int>(i.imm)));
  known_alignment_ = 0;
  reads_whole_ = reads_whole;
}

void Memory::emit_store(Value v) {
  const ir::Instruction& i = kernel_.instructions[v];
  if (Streams::Stream* stream = e_.streams.stream_of(v)) return e_.streams.emit_staged_store(*stream);
  const ir::BufferParam& param = kernel_.buffers[i.imm];
  const bool is_known =
      param.aligned && param.ndim == 1 && param.inner == InnerStride::contiguous && !is_complex(param.dtype);
  known_alignment_ =
      is_known ? std::min(widest_access, itemsize(param.dtype) * divisor_of(kernel_.operands(v)[1])) : i.alignment;
  llvm::Value* address = element_address(i.imm, kernel_.operands(v).subspan(1));
  if (i.attr && machine_.kind == Machine::Kind::device) {
    known_alignment_ = 0;
    return store_hinted(address, get(kernel_.operands(v)[0]), i);
  }
  store_parts(part_addresses(address, i.type), get(kernel_.operands(v)[0]), i.type, static_cast<int>(i.imm));
  known_alignment_ = 0;
}

}  // namespace tessera::codegen
