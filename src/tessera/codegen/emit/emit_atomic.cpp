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
    case AtomicKind::min: return is_float ? Rmw::FMin : is_signed ? Rmw::Min : Rmw::UMin;
    case AtomicKind::max: return is_float ? Rmw::FMax : is_signed ? Rmw::Max : Rmw::UMax;
    case AtomicKind::bit_and: return Rmw::And;
    case AtomicKind::bit_or: return Rmw::Or;
    case AtomicKind::bit_xor: return Rmw::Xor;
    case AtomicKind::exchange:
    case AtomicKind::compare_exchange: return Rmw::Xchg;
  }
  return Rmw::BAD_BINOP;
}

}  // namespace

/// Whether v is a constant 0: a bitwise or with it changes nothing and is emitted as an atomic load.
bool Emitter::is_zero(Value v) const {
  const ir::Instruction& i = kernel_.instructions[v];
  return i.op == Opcode::constant && !is_floating(i.type) && kernel_.constants[i.imm].as_int() == 0;
}

void Emitter::emit_atomic(Value v) {
  const ir::Instruction& i = kernel_.instructions[v];
  require<NotImplementedError>(!is_complex(i.type) && i.type != DType::float16 && i.type != DType::bfloat16,
                               "codegen: atomic on {} has no native code", name(i.type));
  const AtomicKind kind = static_cast<AtomicKind>(i.attr);
  std::span<const Value> operands = kernel_.operands(v);
  const bool compares = kind == AtomicKind::compare_exchange;
  const Value operand = operands[compares ? 1 : 0];
  std::span<const Value> indices = operands.subspan(compares ? 2 : 1);
  llvm::Value* address =
      i.op == Opcode::atomic ? element_address(i.imm, indices) : array_address(i.imm, indices[0]).first;
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
  } else {
    old = b_.CreateAtomicRMW(operation(kind, i.type), address, in_memory(get_one(operand)), align, order);
  }
  set(v, {is_boolean(i.type) ? b_.CreateIsNotNull(old) : old});
}

}  // namespace tessera::codegen
