// Reductions shared by the threads of a team, with the same bits as the traversal on one thread: `width` threads reduce
// a leaf, each its own partial sum, and neighbours are combined by shuffles.
//
// The leaves of a chunk are numbered as if the tree were complete to its greatest depth: slot s is the leaf reached by
// the bits of s, and a leaf that ends higher up fills all the slots below it. Each slot records, bit by bit, whether
// the node above was split, so that combining two nodes is a shuffle and a select. The slots handled by one warp form a
// set.
#include "tessera/codegen/emit/emitter.h"
#include "tessera/codegen/emit/reductions/team.h"

#include <algorithm>

namespace tessera::codegen {

using ir::Value;

namespace {

constexpr int warp = 32;
/// The most sets of a chunk, whatever the width: 16 of a whole chunk, twice as many where halves are uneven.
constexpr int most_sets = 32;

}  // namespace

/// A value of another thread of the warp; any type, in pieces of 32 bits.
llvm::Value* Teams::shuffle(ir::ShuffleKind kind, llvm::Value* value, llvm::Value* offset, llvm::Value* mask) {
  llvm::Type* type = value->getType();
  if (type->isVectorTy()) {
    const Parts parts = e_.reductions.split_parts(value);
    return e_.reductions.join_parts(
        {shuffle(kind, parts.first, offset, mask), shuffle(kind, parts.second, offset, mask)});
  }
  const unsigned bits = type->getPrimitiveSizeInBits();
  llvm::Value* whole = b_.CreateBitCast(value, b_.getIntNTy(bits));
  const auto move = [&](llvm::Value* piece) -> llvm::Value* {
    return device::shuffle(b_, kind, mask, piece, offset, b_.getInt32(31));
  };
  if (bits <= 32) {
    whole = b_.CreateTrunc(move(b_.CreateZExt(whole, b_.getInt32Ty())), b_.getIntNTy(bits));
  } else {
    llvm::Value* low = b_.CreateZExt(move(b_.CreateTrunc(whole, b_.getInt32Ty())), word_);
    llvm::Value* high = b_.CreateZExt(move(b_.CreateTrunc(b_.CreateLShr(whole, 32), b_.getInt32Ty())), word_);
    whole = b_.CreateOr(low, b_.CreateShl(high, 32));
  }
  return b_.CreateBitCast(whole, type);
}

/// Runs `emit` in one of the threads that compute the same lane.
void Teams::emit_by_leader(const std::function<void()>& emit) {
  llvm::BasicBlock* leader = llvm::BasicBlock::Create(context_, "leader", function_);
  llvm::BasicBlock* done = llvm::BasicBlock::Create(context_, "", function_);
  b_.CreateCondBr(w_.leader, leader, done);
  b_.SetInsertPoint(leader);
  emit();
  b_.CreateBr(done);
  b_.SetInsertPoint(done);
}

/// Whether the condition holds in any thread that computes the same lane, so that all of them branch alike.
llvm::Value* Teams::in_any_thread(llvm::Value* condition) {
  if (mapping_.team == warp) return device::any_in_warp(b_, condition);
  if (mapping_.team == 1 && mapping_.slices == 1) return condition;
  return device::barrier_any(b_, condition);
}

Teams::Team Teams::make_team(const Tree& tree, llvm::Value* begin) {
  llvm::Value* thread = device::grid_number(b_, GridNumber::thread_x);
  Team team{.tree = tree, .begin = begin, .warp = b_.CreateLShr(thread, 5), .lane = b_.CreateAnd(thread, warp - 1)};
  team.part = b_.CreateAnd(thread, static_cast<uint32_t>(tree.width - 1));
  team.group = b_.CreateShl(b_.getInt32((1u << tree.width) - 1), b_.CreateSub(team.lane, team.part));
  team.stored = tree.has_parts() ? tree.type : memory_type(context_, tree.dtype);
  if (mapping_.team == warp) {
    team.sums = e_.frame.stack_array(tree.type, b_.getInt64(1), "kept");
    team.splits = e_.frame.stack_array(b_.getInt32Ty(), b_.getInt64(1), "splits");
    b_.CreateStore(e_.reductions.neutral(tree), team.sums);
    b_.CreateStore(b_.getInt32(0), team.splits);
  } else {
    team.sums = e_.frame.shared_array(team.stored, most_sets);
    team.splits = e_.frame.shared_array(b_.getInt32Ty(), most_sets);
  }
  return team;
}

llvm::Value* Teams::emit_slot(const Team& team, llvm::Value* set) {
  return b_.CreateOr(b_.CreateShl(set, team.slot_bits()), b_.CreateLShr(team.lane, team.width_bits()));
}

/// Emits levels of a tree, which carry values: unrolled, or as a loop where code must be short: in the fast-compile
/// variant and in the epilogue, which runs only once.
Carried Teams::emit_levels(int count, const Carried& first,
                           const std::function<Carried(llvm::Value* level, const Carried& carried)>& body) {
  if (mapping_.fast_compile || w_.in_epilogue)
    return e_.control.emit_carrying(b_.getInt32(0), b_.getInt32(static_cast<uint32_t>(count)), b_.getInt32(1), first,
                                    body);
  Carried carried = first;
  for (int level = 0; level < count; ++level) carried = body(b_.getInt32(static_cast<uint32_t>(level)), carried);
  return carried;
}

/// The sum combined with that of the thread at distance `first`, then at twice the distance and so on for `levels`
/// levels, each where the bit of `splits` says that the node was split.
llvm::Value* Teams::join_levels(const Tree& tree, llvm::Value* sum, llvm::Value* splits, int64_t first, int levels,
                                llvm::Value* threads) {
  const auto step = [&](llvm::Value*, const std::vector<llvm::Value*>& carried) -> std::vector<llvm::Value*> {
    llvm::Value* other = shuffle(ir::ShuffleKind::exchange, carried[0], carried[2], threads);
    llvm::Value* is_split = b_.CreateTrunc(carried[1], b_.getInt1Ty());
    return {b_.CreateSelect(is_split, reduce_elements(tree, carried[0], {other}), carried[0]),
            b_.CreateLShr(carried[1], 1), b_.CreateShl(carried[2], 1)};
  };
  return emit_levels(levels, {sum, splits, b_.getInt32(static_cast<uint32_t>(first))}, step)[0];
}

/// Stores a sum in shared memory.
void Teams::store_sum(const Tree& tree, llvm::Value* address, llvm::Value* sum) {
  if (tree.has_parts())
    b_.CreateStore(sum, address);
  else
    e_.memory.store_parts({address}, {sum}, tree.dtype, no_buffer);
}

llvm::Value* Teams::load_sum(const Tree& tree, llvm::Value* address) {
  return tree.has_parts() ? b_.CreateLoad(tree.type, address)
                          : e_.memory.load_parts({address}, tree.dtype, no_buffer).first;
}

/// Keeps a set's sum and the bits of its `splits` above the set. A single warp keeps those of set k in lane k; several
/// warps pass them in shared memory, where all lanes of a warp write the same value.
void Teams::keep_set(const Team& team, llvm::Value* set, const SetSum& of) {
  if (mapping_.team > warp) {
    store_sum(team.tree, b_.CreateGEP(team.stored, team.sums, set), of.sum);
    b_.CreateStore(of.splits, b_.CreateGEP(b_.getInt32Ty(), team.splits, set));
    return;
  }
  llvm::Value* is_mine = b_.CreateICmpEQ(set, team.lane);
  b_.CreateStore(b_.CreateSelect(is_mine, of.sum, b_.CreateLoad(team.tree.type, team.sums)), team.sums);
  b_.CreateStore(b_.CreateSelect(is_mine, of.splits, b_.CreateLoad(b_.getInt32Ty(), team.splits)), team.splits);
}

/// Loads one set's sum into each lane of a warp, after all sets have been kept.
Teams::SetSum Teams::load_sets(const Team& team) {
  if (mapping_.team == warp)
    return {b_.CreateLoad(team.tree.type, team.sums), b_.CreateLoad(b_.getInt32Ty(), team.splits)};
  return {load_sum(team.tree, b_.CreateGEP(team.stored, team.sums, team.lane)),
          b_.CreateLoad(b_.getInt32Ty(), b_.CreateGEP(b_.getInt32Ty(), team.splits, team.lane))};
}

/// The chunk's reduction, in every thread. Lanes without a set have no split bits, so they are not combined.
llvm::Value* Teams::join_sets(const Team& team) {
  if (mapping_.team > warp) e_.meetings.emit_barrier();
  const SetSum of = load_sets(team);
  if (mapping_.team > warp) e_.meetings.emit_barrier();  // the next chunk overwrites the sums
  llvm::Value* everyone = b_.getInt32(~0u);
  llvm::Value* total = join_levels(team.tree, of.sum, of.splits, 1, 5, everyone);
  return shuffle(ir::ShuffleKind::index, total, b_.getInt32(0), everyone);
}

/// The reduction of [begin, begin + count), at most a chunk, in every thread of the team.
llvm::Value* Teams::emit_team_chunk(const Tree& tree, llvm::Value* begin, llvm::Value* count) {
  const Team team = make_team(tree, begin);
  llvm::Value* size = b_.CreateTrunc(count, b_.getInt32Ty());
  llvm::Value* depth = emit_team_depth(team, size);
  llvm::Value* slots = b_.CreateShl(b_.getInt32(1), depth);
  llvm::Value* sets =
      b_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, b_.CreateLShr(slots, team.slot_bits()), b_.getInt32(1));
  Loop set =
      e_.control.open_loop(team.warp, sets, b_.getInt32(static_cast<uint32_t>(mapping_.team / warp)), false, "set");
  const SetSum of = emit_set(team, set.index, size, depth);
  llvm::Value* sum = join_levels(tree, of.sum, of.splits, tree.width, team.slot_bits(), b_.getInt32(~0u));
  keep_set(team, set.index, {sum, b_.CreateLShr(of.splits, team.slot_bits())});
  e_.control.close_loop(set, false);
  return join_sets(team);
}

}  // namespace tessera::codegen
