// Atomics: one read-modify-write whose result is the old value.

#include "tessera/base/error.h"
#include "tessera/codegen/emit/emitter.h"

namespace tessera::codegen {

using ir::AtomicKind;
using ir::Opcode;
using ir::Value;

namespace {

llvm::AtomicRMWInst::BinOp operation(AtomicKind kind, DType dtype) {
  using Rmw = llvm::AtomicRMWInst;
  const bool is_float = is_floating(dtype);
  const bool is_signed = is_signed_integer(dtype);
  switch (kind) {
    case AtomicKind::add: return is_float ? Rmw::FAdd : Rmw::Add;
    case AtomicKind::sub: return is_float ? Rmw::FSub : Rmw::Sub;
    case AtomicKind::min:
    case AtomicKind::min_num: return is_signed ? Rmw::Min : Rmw::UMin;
    case AtomicKind::max:
    case AtomicKind::max_num: return is_signed ? Rmw::Max : Rmw::UMax;
    case AtomicKind::increment: return Rmw::UIncWrap;
    case AtomicKind::decrement: return Rmw::UDecWrap;
    case AtomicKind::bit_and: return Rmw::And;
    case AtomicKind::bit_or: return Rmw::Or;
    case AtomicKind::bit_xor: return Rmw::Xor;
    case AtomicKind::exchange:
    case AtomicKind::compare_exchange: return Rmw::Xchg;
  }
  return Rmw::BAD_BINOP;
}

bool is_extreme(AtomicKind kind) {
  return kind == AtomicKind::min || kind == AtomicKind::max || kind == AtomicKind::min_num ||
         kind == AtomicKind::max_num;
}

bool counts_in_circle(AtomicKind kind) { return kind == AtomicKind::increment || kind == AtomicKind::decrement; }

}  // namespace

/// A float's minimum or maximum: the old value is compared and, as long as it is to be replaced, exchanged until no
/// other lane came between.
llvm::Value* Memory::emit_float_extreme(AtomicKind kind, llvm::Value* address, llvm::Value* x) {
  const bool is_less = kind == AtomicKind::min || kind == AtomicKind::min_num;
  const bool skips_nan = kind == AtomicKind::min_num || kind == AtomicKind::max_num;
  llvm::Type* type = x->getType();
  llvm::Type* bits = b_.getIntNTy(type->getScalarSizeInBits());
  constexpr auto order = llvm::AtomicOrdering::Monotonic;
  llvm::LoadInst* first = b_.CreateAlignedLoad(bits, address, llvm::Align(type->getScalarSizeInBits() / 8), "before");
  first->setAtomic(order);
  llvm::BasicBlock* before = b_.GetInsertBlock();
  llvm::BasicBlock* compare = llvm::BasicBlock::Create(context_, "compare", function_);
  llvm::BasicBlock* attempt = llvm::BasicBlock::Create(context_, "attempt", function_);
  llvm::BasicBlock* done = llvm::BasicBlock::Create(context_, "", function_);
  b_.CreateBr(compare);
  b_.SetInsertPoint(compare);
  llvm::PHINode* old = b_.CreatePHI(bits, 2);
  old->addIncoming(first, before);
  llvm::Value* known = b_.CreateBitCast(old, type);
  llvm::Value* replaces = is_less ? b_.CreateFCmpOLT(x, known) : b_.CreateFCmpOGT(x, known);
  if (skips_nan) replaces = b_.CreateOr(replaces, b_.CreateFCmpUNO(known, known));
  b_.CreateCondBr(replaces, attempt, done);
  b_.SetInsertPoint(attempt);
  llvm::Value* pair = b_.CreateAtomicCmpXchg(address, old, b_.CreateBitCast(x, bits), llvm::MaybeAlign(), order, order);
  old->addIncoming(b_.CreateExtractValue(pair, 0), attempt);
  b_.CreateCondBr(b_.CreateExtractValue(pair, 1), done, compare);
  b_.SetInsertPoint(done);
  return known;
}

/// Whether v is a constant 0: a bitwise or with it changes nothing and is emitted as an atomic load.
bool Memory::is_zero(Value v) const {
  const ir::Instruction& i = kernel_.instructions[v];
  return i.op == Opcode::constant && !is_floating(i.type) && kernel_.constants[i.imm].as_int() == 0;
}

void Memory::emit_atomic(Value v) {
  const ir::Instruction& i = kernel_.instructions[v];
  require<NotImplementedError>(!is_complex(i.type) && i.type != DType::float16 && i.type != DType::bfloat16,
                               "codegen: atomic on {} has no native code", name(i.type));
  const AtomicKind kind = ir::atomic_kind(i.attr);
  std::span<const Value> operands = kernel_.operands(v);
  const bool compares = kind == AtomicKind::compare_exchange;
  const Value operand = operands[compares ? 1 : 0];
  std::span<const Value> indices = operands.subspan(compares ? 2 : 1);
  llvm::Value* address =
      i.op == Opcode::atomic ? element_address(i.imm, indices) : e_.arrays.array_address(i.imm, indices[0]).first;
  if (ir::is_of_imaginary_part(i.attr))
    address = b_.CreateConstGEP1_64(b_.getInt8Ty(), address, static_cast<uint64_t>(part_size(i.type)));
  llvm::Type* type = memory_type(context_, i.type);
  const auto in_memory = [&](llvm::Value* x) { return is_boolean(i.type) ? b_.CreateZExt(x, type) : x; };
  const llvm::MaybeAlign align(part_size(i.type));
  constexpr auto order = llvm::AtomicOrdering::Monotonic;
  llvm::Value* old = nullptr;
  if (compares) {
    llvm::Type* bits = b_.getIntNTy(static_cast<unsigned>(part_size(i.type)) * 8);
    llvm::Value* expected = b_.CreateBitCast(in_memory(get_one(operands[0])), bits);
    llvm::Value* desired = b_.CreateBitCast(in_memory(get_one(operand)), bits);
    llvm::Value* pair = b_.CreateAtomicCmpXchg(address, expected, desired, align, order, order);
    old = b_.CreateBitCast(b_.CreateExtractValue(pair, 0), type);
  } else if (kind == AtomicKind::bit_or && is_zero(operand)) {
    llvm::LoadInst* load = b_.CreateAlignedLoad(type, address, align);
    load->setAtomic(order);
    old = load;
  } else if (is_floating(i.type) && is_extreme(kind)) {
    old = emit_float_extreme(kind, address, get_one(operand));
  } else if (is_floating(i.type) && kind == AtomicKind::sub) {
    // No target subtracts floats in one instruction; the sum with the negated number is the same.
    old = b_.CreateAtomicRMW(llvm::AtomicRMWInst::FAdd, address, b_.CreateFNeg(get_one(operand)), align, order);
  } else if (machine_.kind == Machine::Kind::device && itemsize(i.type) == 4 && counts_in_circle(kind)) {
    // LLVM expands its own form of these into a loop around a compare-and-swap.
    old = device::count_in_circle(b_, kind == AtomicKind::increment, address, get_one(operand));
  } else {
    old = b_.CreateAtomicRMW(operation(kind, i.type), address, in_memory(get_one(operand)), align, order);
  }
  set(v, {is_boolean(i.type) ? b_.CreateIsNotNull(old) : old});
}

}  // namespace tessera::codegen
