// Meeting points. On the host all lanes of a block reach them between loops over lanes: what the others learn is in a
// slot. On a device they are instructions of the machine.
#include "tessera/base/error.h"
#include "tessera/codegen/emit/emitter.h"
#include "tessera/ir/checks.h"
#include "tessera/ir/new_memory.h"
#include "tessera/ir/opcode.h"

#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/IntrinsicsNVPTX.h>

namespace tessera::codegen {

using ir::Opcode;
using ir::Value;

namespace {

constexpr int warp_lanes = 32;

}  // namespace

void Emitter::emit_vote(const Schedule& schedule, Value v) {
  if (kernel_.instructions[v].op == Opcode::grid_barrier) return emit_wait(ir::Wait::for_grid);
  if (kernel_.instructions[v].op == Opcode::call_host)
    return (void)call_host(ir::check_number(ir::CheckCall::block_barrier), kernel_.operands(v).subspan(1));
  const SlotId asked = schedule.asked.at(v);
  if (kernel_.instructions[v].op == Opcode::barrier_count)
    set(v, {emit_count(asked)});
  else
    emit_warp_ballots(asked, schedule.slot_of.at(v));
}

/// How many lanes of the block have a true value.
llvm::Value* Emitter::emit_count(SlotId asked) {
  llvm::Value* lanes = b_.CreateSub(strip_end_, strip_begin_);
  const Carried none{b_.getInt32(0)};
  return emit_carrying(b_.getInt64(0), lanes, b_.getInt64(1), none, [&](llvm::Value* lane, const Carried& count) {
    llvm::Value* flag = b_.CreateLoad(b_.getInt8Ty(), b_.CreateGEP(b_.getInt8Ty(), slots_[asked].first, lane));
    return Carried{b_.CreateAdd(count[0], b_.CreateZExt(b_.CreateIsNotNull(flag), b_.getInt32Ty()))};
  })[0];
}

/// Bit k of each lane's word is the value in lane k of its warp. Slots have room for whole warps.
void Emitter::emit_warp_ballots(SlotId asked, SlotId result) {
  llvm::Value* lanes = b_.CreateSub(strip_end_, strip_begin_);
  Loop warps = open_loop(b_.getInt64(0), lanes, b_.getInt64(warp_lanes), true, "warp");
  auto* flags = llvm::FixedVectorType::get(b_.getInt8Ty(), warp_lanes);
  llvm::Value* from = b_.CreateGEP(b_.getInt8Ty(), slots_[asked].first, warps.index);
  llvm::Value* set = b_.CreateIsNotNull(b_.CreateAlignedLoad(flags, from, llvm::Align(32)));
  llvm::Value* votes = b_.CreateBitCast(set, b_.getInt32Ty());
  // Lanes beyond the block do not vote.
  llvm::Value* left = b_.CreateSub(lanes, warps.index);
  llvm::Value* below =
      b_.CreateTrunc(b_.CreateSub(b_.CreateShl(b_.getInt64(1), left), b_.getInt64(1)), b_.getInt32Ty());
  llvm::Value* whole = b_.CreateICmpSGE(left, b_.getInt64(warp_lanes));
  votes = b_.CreateAnd(votes, b_.CreateSelect(whole, b_.getInt32(~0u), below));
  llvm::Value* to = b_.CreateGEP(b_.getInt32Ty(), slots_[result].first, warps.index);
  b_.CreateAlignedStore(b_.CreateVectorSplat(warp_lanes, votes), to, llvm::Align(64));
  close_loop(warps, false);
}

void Emitter::emit_meeting(Value v) {
  const Opcode op = kernel_.instructions[v].op;
  if (machine_.kind != Machine::Kind::nvptx) {
    require<NotImplementedError>(op == Opcode::shuffle && schedule_ && schedule_->asked.contains(v),
                                 "codegen: {} inside control flow that differs between lanes has no native code",
                                 ir::name(op));
    return emit_shuffle(v);
  }
  switch (op) {
    case Opcode::barrier: return emit_barrier();
    case Opcode::barrier_count: {
      llvm::Value* condition = b_.CreateZExt(get_one(kernel_.operands(v)[0]), b_.getInt32Ty());
      return set(v, {b_.CreateIntrinsic(llvm::Intrinsic::nvvm_barrier0_popc, {}, {condition})});
    }
    case Opcode::grid_barrier: return emit_grid_barrier();
    case Opcode::warp_barrier: return emit_warp_barrier(v);
    case Opcode::ballot: return emit_ballot(v);
    case Opcode::match_byte: return emit_match_byte(v);
    case Opcode::match_any: return set(v, {emit_device_match_any(v)});
    case Opcode::shuffle: return set(v, {emit_device_shuffle(v)});
    case Opcode::active_mask: {
      llvm::FunctionType* type = llvm::FunctionType::get(b_.getInt32Ty(), false);
      llvm::CallInst* call = b_.CreateCall(llvm::InlineAsm::get(type, "activemask.b32 $0;", "=r", true), {});
      call->addFnAttr(llvm::Attribute::Convergent);
      return set(v, {call});
    }
    default: invariant(false, "codegen: {} is no meeting point", ir::name(op));
  }
}

/// On the host: by index in the warp, a lane beyond the block gives no value.
void Emitter::emit_shuffle(Value v) {
  const SlotId asked = schedule_->asked.at(v);
  llvm::Value* own = lane();
  llvm::Value* which = b_.CreateZExt(get_one(kernel_.operands(v)[1]), word_);
  llvm::Value* from = b_.CreateOr(b_.CreateAnd(own, b_.getInt64(~int64_t{warp_lanes - 1})), which);
  llvm::Value* lanes = b_.CreateSub(strip_end_, strip_begin_);
  from = b_.CreateSelect(b_.CreateICmpSLT(from, lanes), from, own);
  const DType dtype = type_of(v);
  llvm::Type* type = memory_type(context_, dtype);
  set(v, load_parts({b_.CreateGEP(type, slots_[asked].first, from), nullptr}, dtype, no_buffer));
}

void Emitter::emit_host_call(Value v) {
  require<NotImplementedError>(machine_.kind != Machine::Kind::nvptx, "codegen: a device cannot call the host");
  if (kernel_.instructions[v].imm == ir::next_random) {
    const std::span<const Value> source = kernel_.operands(v);
    auto* type = llvm::FunctionType::get(b_.getDoubleTy(), {b_.getPtrTy()}, false);
    llvm::CallInst* number = b_.CreateCall(type, b_.CreateIntToPtr(get_one(source[0]), b_.getPtrTy()),
                                           {b_.CreateIntToPtr(get_one(source[1]), b_.getPtrTy())});
    number->addFnAttr(llvm::Attribute::NoUnwind);
    return set(v, {b_.CreateBitCast(number, word_)});
  }
  const auto call = [&] { return call_host(kernel_.instructions[v].imm, kernel_.operands(v)); };
  if (!has_quick_check(v)) {
    set(v, {call()});
    constexpr int axes_of_a_launch = 6;
    if (kernel_.ndim != axes_of_a_launch || ir::check_of(kernel_.instructions[v].imm) != ir::CheckCall::failed) return;
    b_.CreateUnreachable();
    return b_.SetInsertPoint(llvm::BasicBlock::Create(context_, "", function_));
  }
  emit_quick_check(v, [&] { call(); });
  set(v, {llvm::ConstantInt::get(word_, 0)});
}

llvm::Value* Emitter::call_host(uint32_t number, std::span<const Value> operands) {
  llvm::Value* words = stack_array(word_, b_.getInt64(std::max<size_t>(1, operands.size())), "operands");
  for (size_t k = 0; k < operands.size(); ++k)
    b_.CreateStore(as_word(operands[k]), b_.CreateConstInBoundsGEP1_64(word_, words, k));
  const auto field = [&](int which, const char* name) {
    return b_.CreateLoad(b_.getPtrTy(), b_.CreateConstInBoundsGEP1_64(word_, function_->getArg(0), which), name);
  };
  auto* type = llvm::FunctionType::get(word_, {b_.getPtrTy(), b_.getInt32Ty(), b_.getPtrTy()}, false);
  llvm::Value* host = field(field_host, "host");
  llvm::CallInst* answer =
      b_.CreateCall(type, host, {field(field_host_context, "context"), b_.getInt32(number), words});
  answer->addFnAttr(llvm::Attribute::NoUnwind);
  return answer;
}

/// The host lets other blocks or lanes run.
void Emitter::emit_wait(ir::Wait what) {
  llvm::Value* field = b_.CreateConstInBoundsGEP1_64(word_, function_->getArg(0), field_wait);
  auto* type = llvm::FunctionType::get(b_.getVoidTy(), {b_.getInt8Ty()}, false);
  llvm::Value* call = b_.CreateLoad(b_.getPtrTy(), field, "wait");
  b_.CreateCall(type, call, {b_.getInt8(static_cast<uint8_t>(what))})->addFnAttr(llvm::Attribute::NoUnwind);
}

void Emitter::emit_pause(Value v) {
  if (machine_.kind != Machine::Kind::nvptx) return emit_wait(ir::Wait::for_others);
  const std::span<const Value> operands = kernel_.operands(v);
  if (operands.empty()) return;  // the threads of a device run beside each other
  auto* type = llvm::FunctionType::get(b_.getVoidTy(), {b_.getInt32Ty()}, false);
  b_.CreateCall(llvm::InlineAsm::get(type, "nanosleep.u32 $0;", "r", true), {get_one(operands[0])});
}

/// The blocks of a cooperative launch count up a word of the driver's, whose address two registers have. The first
/// block adds so much that the highest bit changes when all have arrived.
void Emitter::emit_grid_barrier() {
  static constexpr const char* text =
      "{ .reg .b32 lo, hi, n, m, mine, seen, part, t;\n.reg .b64 at;\n.reg .pred is_first, waits;\n"
      "barrier.sync 0;\n"
      "mov.u32 n, %tid.x;\nmov.u32 m, %tid.y;\nor.b32 n, n, m;\nmov.u32 m, %tid.z;\nor.b32 n, n, m;\n"
      "setp.ne.u32 is_first, n, 0;\n@is_first bra AFTER_${:uid};\n"
      "mov.u32 hi, %envreg1;\nmov.u32 lo, %envreg2;\nmov.b64 at, {lo, hi};\n"
      "mov.u32 n, %nctaid.x;\nmov.u32 m, %nctaid.y;\nmul.lo.u32 n, n, m;\nmov.u32 m, %nctaid.z;\nmul.lo.u32 n, n, m;\n"
      "mov.u32 t, %ctaid.x;\nmov.u32 m, %ctaid.y;\nor.b32 t, t, m;\nmov.u32 m, %ctaid.z;\nor.b32 t, t, m;\n"
      "setp.eq.u32 is_first, t, 0;\nsub.u32 part, 0x80000001, n;\nselp.b32 part, part, 1, is_first;\n"
      "fence.acq_rel.gpu;\natom.global.add.u32 mine, [at+4], part;\n"
      "WAIT_${:uid}:\nld.global.acquire.gpu.u32 seen, [at+4];\nxor.b32 seen, seen, mine;\n"
      "setp.ge.s32 waits, seen, 0;\n@waits bra WAIT_${:uid};\nfence.acq_rel.gpu;\n"
      "AFTER_${:uid}:\nbarrier.sync 0;\n}";
  auto* type = llvm::FunctionType::get(b_.getVoidTy(), false);
  b_.CreateCall(llvm::InlineAsm::get(type, text, "~{memory}", true), {})->addFnAttr(llvm::Attribute::Convergent);
}

void Emitter::emit_fence(Value v) {
  if (machine_.kind != Machine::Kind::nvptx) {
    b_.CreateFence(llvm::AtomicOrdering::SequentiallyConsistent);
    return;
  }
  using llvm::Intrinsic::nvvm_membar_cta, llvm::Intrinsic::nvvm_membar_gl, llvm::Intrinsic::nvvm_membar_sys;
  constexpr llvm::Intrinsic::ID fences[] = {nvvm_membar_cta, nvvm_membar_gl, nvvm_membar_sys};
  b_.CreateIntrinsic(fences[kernel_.instructions[v].attr], {}, {});
}

void Emitter::emit_barrier() { b_.CreateIntrinsic(llvm::Intrinsic::nvvm_barrier0, {}, {}); }

/// The mask at this operand; all lanes where there is none.
llvm::Value* Emitter::warp_mask(Value v, size_t at) {
  const auto operands = kernel_.operands(v);
  return at < operands.size() ? get_one(operands[at]) : b_.getInt32(~0u);
}

void Emitter::emit_warp_barrier(Value v) {
  b_.CreateIntrinsic(llvm::Intrinsic::nvvm_bar_warp_sync, {}, {warp_mask(v, 0)});
}

void Emitter::emit_ballot(Value v) {
  set(v, {b_.CreateIntrinsic(llvm::Intrinsic::nvvm_vote_ballot_sync, {},
                             {warp_mask(v, 1), get_one(kernel_.operands(v)[0])})});
}

llvm::Value* Emitter::emit_device_match_any(Value v) {
  llvm::Value* x = get_one(kernel_.operands(v)[0]);
  const bool is_wide = itemsize(type_of(kernel_.operands(v)[0])) == 8;
  x = b_.CreateBitCast(x, is_wide ? b_.getInt64Ty() : b_.getInt32Ty());
  return b_.CreateIntrinsic(
      is_wide ? llvm::Intrinsic::nvvm_match_any_sync_i64 : llvm::Intrinsic::nvvm_match_any_sync_i32, {},
      {warp_mask(v, 1), x});
}

/// Words of 8 bytes are shuffled by halves.
llvm::Value* Emitter::emit_device_shuffle(Value v) {
  using namespace llvm::Intrinsic;
  constexpr ID shuffles[] = {nvvm_shfl_sync_idx_i32, nvvm_shfl_sync_up_i32, nvvm_shfl_sync_down_i32,
                             nvvm_shfl_sync_bfly_i32};
  const ir::Instruction& i = kernel_.instructions[v];
  const bool is_up = static_cast<ir::ShuffleKind>(i.attr) == ir::ShuffleKind::up;
  llvm::Value* which = get_one(kernel_.operands(v)[1]);
  llvm::Value* mask = warp_mask(v, 2);
  // The segment's lanes and the bound, as the instruction has them.
  llvm::Value* clamp = b_.getInt32((warp_lanes - i.imm) << 8 | (is_up ? 0 : warp_lanes - 1));
  const auto move = [&](llvm::Value* word) {
    return b_.CreateIntrinsic(shuffles[i.attr], {}, {mask, word, which, clamp});
  };
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

/// One vote per bit, as inline assembly: LLVM would compute each bit twice, once for the vote and once for the test of
/// its result.
void Emitter::emit_match_byte(Value v) {
  std::string text = "{ .reg .pred p; .reg .b32 m;\nmov.b32 $0, -1;\n";
  for (int bit = 0; bit < 8; ++bit) {
    text += "and.b32 m, $1, " + std::to_string(1 << bit) +
            ";\nsetp.ne.u32 p, m, 0;\nvote.sync.ballot.b32 m, p, 0xffffffff;\n";
    text += "@!p not.b32 m, m;\nand.b32 $0, $0, m;\n";
  }
  llvm::Type* word = b_.getInt32Ty();
  llvm::FunctionCallee votes = {
      llvm::FunctionType::get(word, {word}, false),
      llvm::InlineAsm::get(llvm::FunctionType::get(word, {word}, false), text + "}", "=&r,r", true)};
  llvm::CallInst* call = b_.CreateCall(votes, {get_one(kernel_.operands(v)[0])});
  call->addFnAttr(llvm::Attribute::Convergent);
  set(v, {call});
}

}  // namespace tessera::codegen
