// Meeting points. On the host all lanes of a block reach them between loops over lanes: what the others learn is in a
// slot. On a device they are instructions of the machine.
#include "tessera/base/error.h"
#include "tessera/codegen/emit/emitter.h"
#include "tessera/ir/checks.h"
#include "tessera/ir/opcode.h"

namespace tessera::codegen {

using ir::Opcode;
using ir::Value;

namespace {

constexpr int warp_lanes = 32;

}  // namespace

void Meetings::emit_vote(const Schedule& schedule, Value v) {
  if (kernel_.instructions[v].op == Opcode::grid_barrier) return emit_wait(ir::Wait::for_grid);
  if (kernel_.instructions[v].op == Opcode::call_host)
    return (void)e_.calls.call_host(ir::check_number(ir::CheckCall::block_barrier), kernel_.operands(v).subspan(1));
  const SlotId asked = schedule.asked.at(v);
  if (kernel_.instructions[v].op == Opcode::barrier_count)
    set(v, {emit_count(asked)});
  else
    emit_warp_ballots(asked, schedule.slot_of.at(v));
}

/// How many lanes of the block have a true value.
llvm::Value* Meetings::emit_count(SlotId asked) {
  llvm::Value* lanes = b_.CreateSub(w_.strip.end, w_.strip.begin);
  const Carried none{b_.getInt32(0)};
  return e_.control.emit_carrying(
      b_.getInt64(0), lanes, b_.getInt64(1), none, [&](llvm::Value* lane, const Carried& count) {
        llvm::Value* flag =
            b_.CreateLoad(b_.getInt8Ty(), b_.CreateGEP(b_.getInt8Ty(), e_.lanes.slot(asked).first, lane));
        return Carried{b_.CreateAdd(count[0], b_.CreateZExt(b_.CreateIsNotNull(flag), b_.getInt32Ty()))};
      })[0];
}

/// Bit k of each lane's word is the value in lane k of its warp. Slots have room for whole warps.
void Meetings::emit_warp_ballots(SlotId asked, SlotId result) {
  llvm::Value* lanes = b_.CreateSub(w_.strip.end, w_.strip.begin);
  Loop warps = e_.control.open_loop(b_.getInt64(0), lanes, b_.getInt64(warp_lanes), true, "warp");
  auto* flags = llvm::FixedVectorType::get(b_.getInt8Ty(), warp_lanes);
  llvm::Value* from = b_.CreateGEP(b_.getInt8Ty(), e_.lanes.slot(asked).first, warps.index);
  llvm::Value* set = b_.CreateIsNotNull(b_.CreateAlignedLoad(flags, from, llvm::Align(32)));
  llvm::Value* votes = b_.CreateBitCast(set, b_.getInt32Ty());
  // Lanes beyond the block do not vote.
  llvm::Value* left = b_.CreateSub(lanes, warps.index);
  llvm::Value* below =
      b_.CreateTrunc(b_.CreateSub(b_.CreateShl(b_.getInt64(1), left), b_.getInt64(1)), b_.getInt32Ty());
  llvm::Value* whole = b_.CreateICmpSGE(left, b_.getInt64(warp_lanes));
  votes = b_.CreateAnd(votes, b_.CreateSelect(whole, b_.getInt32(~0u), below));
  llvm::Value* to = b_.CreateGEP(b_.getInt32Ty(), e_.lanes.slot(result).first, warps.index);
  b_.CreateAlignedStore(b_.CreateVectorSplat(warp_lanes, votes), to, llvm::Align(64));
  e_.control.close_loop(warps, false);
}

void Meetings::emit_meeting(Value v) {
  const Opcode op = kernel_.instructions[v].op;
  if (machine_.kind != Machine::Kind::device) {
    require<NotImplementedError>(op == Opcode::shuffle && e_.lanes.schedule() && e_.lanes.schedule()->asked.contains(v),
                                 "codegen: {} inside control flow that differs between lanes has no native code",
                                 ir::name(op));
    return emit_shuffle(v);
  }
  switch (op) {
    case Opcode::barrier: return emit_barrier();
    case Opcode::barrier_count: return set(v, {device::barrier_count(b_, get_one(kernel_.operands(v)[0]))});
    case Opcode::grid_barrier: return device::grid_barrier(b_);
    case Opcode::warp_barrier: return emit_warp_barrier(v);
    case Opcode::ballot: return emit_ballot(v);
    case Opcode::match_byte: return set(v, {device::match_byte(b_, get_one(kernel_.operands(v)[0]))});
    case Opcode::match_any: return set(v, {emit_device_match_any(v)});
    case Opcode::shuffle: return set(v, {emit_device_shuffle(v)});
    case Opcode::active_mask: return set(v, {device::active_mask(b_)});
    default: invariant(false, "codegen: {} is no meeting point", ir::name(op));
  }
}

/// On the host: by index in the warp, a lane beyond the block gives no value.
void Meetings::emit_shuffle(Value v) {
  const SlotId asked = e_.lanes.schedule()->asked.at(v);
  llvm::Value* own = e_.lanes.lane();
  llvm::Value* which = b_.CreateZExt(get_one(kernel_.operands(v)[1]), word_);
  llvm::Value* from = b_.CreateOr(b_.CreateAnd(own, b_.getInt64(~int64_t{warp_lanes - 1})), which);
  llvm::Value* lanes = b_.CreateSub(w_.strip.end, w_.strip.begin);
  from = b_.CreateSelect(b_.CreateICmpSLT(from, lanes), from, own);
  const DType dtype = type_of(v);
  llvm::Type* type = memory_type(context_, dtype);
  set(v, e_.memory.load_parts({b_.CreateGEP(type, e_.lanes.slot(asked).first, from), nullptr}, dtype, no_buffer));
}

/// The host lets other blocks or lanes run.
void Meetings::emit_wait(ir::Wait what) {
  llvm::Value* field = b_.CreateConstInBoundsGEP1_64(word_, function_->getArg(0), field_wait);
  auto* type = llvm::FunctionType::get(b_.getVoidTy(), {b_.getInt8Ty()}, false);
  llvm::Value* call = b_.CreateLoad(b_.getPtrTy(), field, "wait");
  b_.CreateCall(type, call, {b_.getInt8(static_cast<uint8_t>(what))})->addFnAttr(llvm::Attribute::NoUnwind);
}

void Meetings::emit_pause(Value v) {
  if (machine_.kind != Machine::Kind::device) return emit_wait(ir::Wait::for_others);
  const std::span<const Value> operands = kernel_.operands(v);
  if (operands.empty()) return;  // the threads of a device run beside each other
  device::pause(b_, get_one(operands[0]));
}

void Meetings::emit_fence(Value v) {
  if (machine_.kind != Machine::Kind::device) {
    b_.CreateFence(llvm::AtomicOrdering::SequentiallyConsistent);
    return;
  }
  device::fence(b_, static_cast<ir::FenceScope>(kernel_.instructions[v].attr));
}

void Meetings::emit_barrier() { device::barrier(b_); }

/// The mask at this operand; all lanes where there is none.
llvm::Value* Meetings::warp_mask(Value v, size_t at) {
  const auto operands = kernel_.operands(v);
  return at < operands.size() ? get_one(operands[at]) : b_.getInt32(~0u);
}

void Meetings::emit_warp_barrier(Value v) { device::warp_barrier(b_, warp_mask(v, 0)); }

void Meetings::emit_ballot(Value v) { set(v, {device::ballot(b_, warp_mask(v, 1), get_one(kernel_.operands(v)[0]))}); }

llvm::Value* Meetings::emit_device_match_any(Value v) {
  llvm::Value* x = get_one(kernel_.operands(v)[0]);
  const bool is_wide = itemsize(type_of(kernel_.operands(v)[0])) == 8;
  x = b_.CreateBitCast(x, is_wide ? b_.getInt64Ty() : b_.getInt32Ty());
  return device::match_any(b_, warp_mask(v, 1), x);
}

/// Words of 8 bytes are shuffled by halves.
llvm::Value* Meetings::emit_device_shuffle(Value v) {
  const ir::Instruction& i = kernel_.instructions[v];
  const auto kind = static_cast<ir::ShuffleKind>(i.attr);
  llvm::Value* which = get_one(kernel_.operands(v)[1]);
  llvm::Value* mask = warp_mask(v, 2);
  // The segment's lanes and the bound, as the instruction has them.
  llvm::Value* clamp = b_.getInt32((warp_lanes - i.imm) << 8 | (kind == ir::ShuffleKind::up ? 0 : warp_lanes - 1));
  const auto move = [&](llvm::Value* word) { return device::shuffle(b_, kind, mask, word, which, clamp); };
  llvm::Value* x = get_one(kernel_.operands(v)[0]);
  llvm::Type* type = x->getType();
  if (itemsize(i.type) == 4) return b_.CreateBitCast(move(b_.CreateBitCast(x, b_.getInt32Ty())), type);
  auto* halves = llvm::FixedVectorType::get(b_.getInt32Ty(), 2);
  llvm::Value* pair = b_.CreateBitCast(x, halves);
  llvm::Value* low = move(b_.CreateExtractElement(pair, uint64_t{0}));
  llvm::Value* high = move(b_.CreateExtractElement(pair, uint64_t{1}));
  pair = b_.CreateInsertElement(llvm::PoisonValue::get(halves), low, uint64_t{0});
  return b_.CreateBitCast(b_.CreateInsertElement(pair, high, uint64_t{1}), type);
}

}  // namespace tessera::codegen
