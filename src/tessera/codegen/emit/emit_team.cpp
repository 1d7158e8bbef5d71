// Folds shared by the threads of a team, with the bits of the one-thread walk: `width` threads fold a leaf, each its own
// partial sum, and neighbours join by shuffles.
//
// The leaves of a chunk are numbered as if the tree were complete to its greatest depth: slot s is the leaf that the
// bits of s lead to, and a leaf that ends higher up fills all the slots below it. Each slot then knows, bit by bit,
// whether the node above was split, so that a join is a shuffle and a select.
#include "tessera/codegen/emit/emit_tree.h"

#include <algorithm>

#include <llvm/IR/IntrinsicsNVPTX.h>

namespace tessera::codegen {

using ir::Value;

namespace {

constexpr int warp = 32;
/// Slots go in sets of a warp; this many sets make a chunk, whatever the width.
constexpr int sets_a_chunk = 16;

int log2_of(int64_t power) {
  int bits = 0;
  while (int64_t{1} << bits < power) ++bits;
  return bits;
}

}  // namespace

/// What the parts of one chunk's fold hand to each other; all numbers are 32 bits wide.
struct Emitter::Team {
  const Tree& tree;
  llvm::Value* begin;   // 64 bits: the chunk's first element
  llvm::Value* lane;    // of the warp
  llvm::Value* part;    // of the leaf's `width` threads
  llvm::Value* group;   // the mask of those threads

  int width_bits() const { return log2_of(tree.width); }
  int most_depth() const { return log2_of(chunk_size / tree.leaf); }
};

/// Where a slot lies in its chunk.
struct Emitter::Place {
  llvm::Value* at;
  llvm::Value* size;
  llvm::Value* splits;  // bit k: the node k levels above the deepest slots was split
};

/// The value of another thread of the warp; any type, in pieces of 32 bits.
llvm::Value* Emitter::shuffle(unsigned intrinsic, llvm::Value* value, int offset, llvm::Value* mask) {
  llvm::Type* type = value->getType();
  const unsigned bits = type->getPrimitiveSizeInBits();
  llvm::Value* whole = b_.CreateBitCast(value, b_.getIntNTy(bits));
  const auto move = [&](llvm::Value* piece) -> llvm::Value* {
    return b_.CreateIntrinsic(intrinsic, {}, {mask, piece, b_.getInt32(static_cast<uint32_t>(offset)), b_.getInt32(31)});
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

/// One thread does it for all that compute the same lane.
void Emitter::emit_by_leader(const std::function<void()>& emit) {
  llvm::BasicBlock* leader = llvm::BasicBlock::Create(context_, "leader", function_);
  llvm::BasicBlock* done = llvm::BasicBlock::Create(context_, "", function_);
  b_.CreateCondBr(leader_, leader, done);
  b_.SetInsertPoint(leader);
  emit();
  b_.CreateBr(done);
  b_.SetInsertPoint(done);
}

/// Whether the condition holds in any thread that computes the same lane: all of them go one way.
llvm::Value* Emitter::in_any_thread(llvm::Value* condition) {
  if (form_.team == warp) return b_.CreateIntrinsic(llvm::Intrinsic::nvvm_vote_any_sync, {}, {b_.getInt32(~0u), condition});
  if (form_.team == 1 && form_.slices == 1) return condition;
  llvm::Value* any = b_.CreateIntrinsic(llvm::Intrinsic::nvvm_barrier0_or, {}, {b_.CreateZExt(condition, b_.getInt32Ty())});
  return b_.CreateIsNotNull(any);
}

llvm::Value* Emitter::team_element(const Team& team, llvm::Value* at) {
  const ir::Region& region = kernel_.region(team.tree.reduction, 0);
  set(region.arg_values[0], {b_.CreateAdd(team.begin, b_.CreateZExt(at, word_), "", false, true)});
  const bool outer = std::exchange(in_team_fold_, true);
  emit_region(kernel_.instructions[team.tree.reduction].first_region);
  in_team_fold_ = outer;
  return get_one(yielded(kernel_, region)[0]);
}

bool Emitter::order_matters(const Tree& tree) { return is_floating(tree.dtype) && (tree.kind == ir::ReduceKind::add || tree.kind == ir::ReduceKind::mul); }

/// Extremes are several dependent steps each: like this there are fewer one after the other.
llvm::Value* Emitter::fold_in_any_order(const Tree& tree, std::vector<llvm::Value*> elements) {
  while (elements.size() > 1) {
    std::vector<llvm::Value*> joined;
    for (size_t k = 0; k + 1 < elements.size(); k += 2) joined.push_back(fold(tree.kind, tree.dtype, elements[k], elements[k + 1]));
    if (elements.size() % 2) joined.push_back(elements.back());
    elements = std::move(joined);
  }
  return elements[0];
}

/// `total` and the elements at, at + step, ... below at + count, folded in order where that matters; `at_once` loads in
/// flight. Loads behind the end are of the first element, and left out.
llvm::Value* Emitter::emit_team_run(const Team& team, llvm::Value* at, llvm::Value* count, llvm::Value* total,
                                    int64_t step, int at_once) {
  const Tree& tree = team.tree;
  const uint32_t stride = static_cast<uint32_t>(step * at_once);
  llvm::BasicBlock* before = b_.GetInsertBlock();
  Loop loop = open_loop(b_.getInt32(0), count, b_.getInt32(stride), false, "run");
  const Parts sum = make_phi({total}, before);
  std::vector<llvm::Value*> elements;
  for (int k = 0; k < at_once; ++k) {
    llvm::Value* offset = b_.CreateAdd(loop.index, b_.getInt32(static_cast<uint32_t>(k * step)), "", true, true);
    llvm::Value* is_inside = k > 0 ? b_.CreateICmpULT(offset, count) : b_.getTrue();
    llvm::Value* element = team_element(team, b_.CreateAdd(at, b_.CreateSelect(is_inside, offset, b_.getInt32(0)), "", true, true));
    elements.push_back(b_.CreateSelect(is_inside, element, neutral(tree.kind, tree.dtype)));
  }
  if (!order_matters(tree)) elements = {fold_in_any_order(tree, std::move(elements))};
  llvm::Value* next = sum.first;
  for (llvm::Value* element : elements) next = fold(tree.kind, tree.dtype, next, element);
  add_incoming(sum, {next}, b_.GetInsertBlock());
  close_loop(loop, false);
  const Parts result = make_phi({total}, before);
  add_incoming(result, {next}, loop.latch);
  return result.first;
}

/// Its parts' sums are neighbours' when a leaf's threads have them: their join, in each of these threads.
llvm::Value* Emitter::join_parts(const Team& team, llvm::Value* sum) {
  for (int offset = 1; offset < team.tree.width; offset *= 2) {
    llvm::Value* other = shuffle(llvm::Intrinsic::nvvm_shfl_sync_bfly_i32, sum, offset, team.group);
    sum = fold(team.tree.kind, team.tree.dtype, sum, other);
  }
  return sum;
}

/// A leaf's fold, in each of its threads. Also of the last chunk, whose leaves are all shorter, many loads are in flight:
/// it must not take longer than all others.
llvm::Value* Emitter::emit_team_leaf(const Team& team, llvm::Value* at, llvm::Value* size) {
  const Tree& tree = team.tree;
  const int cost = region_cost(kernel_.instructions[tree.reduction].first_region);
  const int steps = static_cast<int>(tree.leaf / tree.width);
  const int at_once = is_cheap(tree) ? steps : cost <= 32 ? 4 : 1;
  llvm::Value* even = b_.CreateAnd(size, ~static_cast<uint32_t>(tree.width - 1));
  llvm::Value* own = emit_team_run(team, b_.CreateAdd(at, team.part, "", true, true), even, neutral(tree.kind, tree.dtype), tree.width, at_once);
  llvm::Value* sum = join_parts(team, own);
  return emit_team_run(team, b_.CreateAdd(at, even), b_.CreateSub(size, even), sum, 1, std::min(at_once, static_cast<int>(tree.width) - 1));
}

/// Whether all elements of a thread's leaf may be computed at once.
bool Emitter::is_cheap(const Tree& tree) const { return region_cost(kernel_.instructions[tree.reduction].first_region) <= 12; }

/// The fold of a whole chunk's set of leaves, as emit_team_leaf has it. Threads take neighbours, so that memory is read line
/// by line; where the order matters, groups of `width` threads then hand each other the elements of their own leaves.
llvm::Value* Emitter::emit_team_set(const Team& team, llvm::Value* set) {
  const Tree& tree = team.tree;
  const int steps = static_cast<int>(tree.leaf / tree.width), groups = warp / static_cast<int>(tree.width), runs = steps / groups;
  llvm::Value* begin = b_.CreateAdd(b_.CreateMul(set, b_.getInt32(static_cast<uint32_t>(warp * steps))), team.lane, "", true, true);
  std::vector<llvm::Value*> elements;
  for (int k = 0; k < steps; ++k) elements.push_back(team_element(team, b_.CreateAdd(begin, b_.getInt32(static_cast<uint32_t>(k * warp)), "", true, true)));
  if (!order_matters(tree)) return join_parts(team, fold_in_any_order(tree, std::move(elements)));
  // Element leaf * runs + run of group g is the leaf's step run * groups + g: leaves and groups change places.
  llvm::Value* own_group = b_.CreateUDiv(team.lane, b_.getInt32(static_cast<uint32_t>(tree.width)));
  for (int bit = 1; bit < groups; bit *= 2) {
    llvm::Value* has_bit = b_.CreateICmpNE(b_.CreateAnd(own_group, static_cast<uint32_t>(bit)), b_.getInt32(0));
    for (int k = 0; k < steps; ++k) {
      if (k / runs & bit) continue;
      llvm::Value*& low = elements[static_cast<size_t>(k)];
      llvm::Value*& high = elements[static_cast<size_t>(k + bit * runs)];
      llvm::Value* given = shuffle(llvm::Intrinsic::nvvm_shfl_sync_bfly_i32, b_.CreateSelect(has_bit, low, high),
                                   bit * static_cast<int>(tree.width), b_.getInt32(~0u));
      low = b_.CreateSelect(has_bit, given, low);
      high = b_.CreateSelect(has_bit, high, given);
    }
  }
  llvm::Value* sum = neutral(tree.kind, tree.dtype);
  for (int run = 0; run < runs; ++run)
    for (int group = 0; group < groups; ++group) sum = fold(tree.kind, tree.dtype, sum, elements[static_cast<size_t>(group * runs + run)]);
  return join_parts(team, sum);
}

/// A slot's fold. The deepest slots of uneven trees may still have to be halved once.
llvm::Value* Emitter::emit_team_slot(const Team& team, const Place& place) {
  const Tree& tree = team.tree;
  llvm::Value* is_split = b_.CreateICmpSGT(place.size, b_.getInt32(static_cast<uint32_t>(tree.leaf)));
  llvm::Value* left = b_.CreateAnd(b_.CreateLShr(place.size, 1), ~static_cast<uint32_t>(tree.width - 1));
  llvm::BasicBlock* before = b_.GetInsertBlock();
  Loop loop = open_loop(b_.getInt32(0), b_.CreateSelect(is_split, b_.getInt32(2), b_.getInt32(1)), b_.getInt32(1), true,
                        "half");
  const Parts total = make_phi({neutral(tree.kind, tree.dtype)}, before);
  llvm::Value* is_right = b_.CreateICmpNE(loop.index, b_.getInt32(0));
  llvm::Value* at = b_.CreateSelect(is_right, b_.CreateAdd(place.at, left), place.at);
  llvm::Value* half = b_.CreateSelect(is_right, b_.CreateSub(place.size, left), left);
  llvm::Value* leaf = emit_team_leaf(team, at, b_.CreateSelect(is_split, half, place.size));
  llvm::Value* next = b_.CreateSelect(is_right, fold(tree.kind, tree.dtype, total.first, leaf), leaf);
  add_incoming(total, {next}, b_.GetInsertBlock());
  close_loop(loop, false);
  return next;
}

/// How often the larger side is halved until it is a leaf.
llvm::Value* Emitter::emit_team_depth(const Team& team, llvm::Value* count) {
  const Tree& tree = team.tree;
  llvm::Value *size = count, *depth = b_.getInt32(0);
  for (int level = 0; level < team.most_depth(); ++level) {
    llvm::Value* is_split = b_.CreateICmpSGT(size, b_.getInt32(static_cast<uint32_t>(tree.leaf)));
    llvm::Value* left = b_.CreateAnd(b_.CreateLShr(size, 1), ~static_cast<uint32_t>(tree.width - 1));
    size = b_.CreateSelect(is_split, b_.CreateSub(size, left), size);
    depth = b_.CreateAdd(depth, b_.CreateZExt(is_split, b_.getInt32Ty()));
  }
  return depth;
}

Emitter::Place Emitter::emit_team_place(const Team& team, llvm::Value* slot, llvm::Value* count, llvm::Value* depth) {
  const Tree& tree = team.tree;
  const auto block = [&](const char* name) { return llvm::BasicBlock::Create(context_, name, function_); };
  llvm::BasicBlock *full = block("full"), *uneven = block("uneven"), *found = block("found");
  b_.CreateCondBr(b_.CreateICmpEQ(count, b_.getInt32(chunk_size)), full, uneven);
  b_.SetInsertPoint(full);
  llvm::Value* full_at = b_.CreateMul(slot, b_.getInt32(static_cast<uint32_t>(tree.leaf)));
  b_.CreateBr(found);

  b_.SetInsertPoint(uneven);
  llvm::Value *at = b_.getInt32(0), *size = count, *splits = b_.getInt32(0);
  for (int level = 0; level < team.most_depth(); ++level) {
    llvm::Value* is_split = b_.CreateICmpSGT(size, b_.getInt32(static_cast<uint32_t>(tree.leaf)));
    llvm::Value* bit = b_.CreateAnd(b_.CreateSub(depth, b_.getInt32(static_cast<uint32_t>(level + 1))), 31);
    llvm::Value* goes_right = b_.CreateICmpNE(b_.CreateAnd(b_.CreateLShr(slot, bit), 1), b_.getInt32(0));
    llvm::Value* left = b_.CreateAnd(b_.CreateLShr(size, 1), ~static_cast<uint32_t>(tree.width - 1));
    llvm::Value* side = b_.CreateSelect(goes_right, b_.CreateSub(size, left), left);
    at = b_.CreateSelect(b_.CreateAnd(is_split, goes_right), b_.CreateAdd(at, left), at);
    size = b_.CreateSelect(is_split, side, size);
    llvm::Value* mark = b_.CreateShl(b_.CreateZExt(is_split, b_.getInt32Ty()), bit);
    splits = b_.CreateOr(splits, mark);
  }
  b_.CreateBr(found);

  b_.SetInsertPoint(found);
  const auto either = [&](llvm::Value* of_full, llvm::Value* of_uneven) {
    llvm::PHINode* phi = b_.CreatePHI(b_.getInt32Ty(), 2);
    phi->addIncoming(of_full, full);
    phi->addIncoming(of_uneven, uneven);
    return phi;
  };
  return {.at = either(full_at, at),
          .size = either(b_.getInt32(static_cast<uint32_t>(tree.leaf)), size),
          .splits = either(b_.getInt32(~0u), splits)};
}

/// The fold of the thread's slot and how the nodes above it are split.
std::pair<llvm::Value*, llvm::Value*> Emitter::emit_either_set(const Team& team, llvm::Value* set, llvm::Value* slot, llvm::Value* size, llvm::Value* depth) {
  const auto by_slot = [&]() -> std::pair<llvm::Value*, llvm::Value*> {
    const Place place = emit_team_place(team, slot, size, depth);
    return {emit_team_slot(team, place), place.splits};
  };
  if (!is_cheap(team.tree)) return by_slot();
  const auto block = [&](const char* name) { return llvm::BasicBlock::Create(context_, name, function_); };
  llvm::BasicBlock *whole = block("whole"), *partial = block("partial"), *done = block("folded");
  b_.CreateCondBr(b_.CreateICmpEQ(size, b_.getInt32(chunk_size)), whole, partial);
  b_.SetInsertPoint(whole);
  llvm::Value* of_whole = emit_team_set(team, set);
  llvm::BasicBlock* whole_end = b_.GetInsertBlock();
  b_.CreateBr(done);
  b_.SetInsertPoint(partial);
  const auto [of_partial, splits] = by_slot();
  llvm::BasicBlock* partial_end = b_.GetInsertBlock();
  b_.CreateBr(done);
  b_.SetInsertPoint(done);
  llvm::PHINode *sum = b_.CreatePHI(team.tree.type, 2), *split = b_.CreatePHI(b_.getInt32Ty(), 2);
  sum->addIncoming(of_whole, whole_end);
  sum->addIncoming(of_partial, partial_end);
  split->addIncoming(b_.getInt32(~0u), whole_end);
  split->addIncoming(splits, partial_end);
  return {sum, split};
}

/// The fold of [begin, begin + count), at most a chunk, in every thread of the team.
llvm::Value* Emitter::emit_team_chunk(const Tree& tree, llvm::Value* begin, llvm::Value* count) {
  const int warps = form_.team / warp;
  llvm::Value* thread = b_.CreateIntrinsic(llvm::Intrinsic::nvvm_read_ptx_sreg_tid_x, {}, {});
  Team team{.tree = tree, .begin = begin};
  team.lane = b_.CreateAnd(thread, warp - 1);
  team.part = b_.CreateAnd(thread, static_cast<uint32_t>(tree.width - 1));
  team.group = b_.CreateShl(b_.getInt32((1u << tree.width) - 1), b_.CreateSub(team.lane, team.part));
  llvm::Value* everyone = b_.getInt32(~0u);
  const int slot_bits = 5 - team.width_bits();  // of the slots in a set
  const auto joined = [&](llvm::Value* sum, llvm::Value* splits, int level, int offset) {
    llvm::Value* other = shuffle(llvm::Intrinsic::nvvm_shfl_sync_bfly_i32, sum, offset, everyone);
    llvm::Value* is_split = b_.CreateICmpNE(b_.CreateAnd(splits, 1u << level), b_.getInt32(0));
    return b_.CreateSelect(is_split, fold(tree.kind, tree.dtype, sum, other), sum);
  };

  llvm::Value* size = b_.CreateTrunc(count, b_.getInt32Ty());
  llvm::Value* depth = emit_team_depth(team, size);
  llvm::Value* slots = b_.CreateShl(b_.getInt32(1), depth);
  llvm::Value* sets = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, b_.CreateLShr(slots, slot_bits), b_.getInt32(1));
  llvm::Type* stored = memory_type(context_, tree.dtype);
  // One warp keeps the sum of set k in lane k; several hand theirs over in shared memory.
  llvm::Value* sums = warps > 1 ? shared_array(stored, sets_a_chunk) : nullptr;
  llvm::Value* marks = warps > 1 ? shared_array(b_.getInt32Ty(), sets_a_chunk) : nullptr;
  llvm::AllocaInst* kept = stack_array(tree.type, b_.getInt64(1), "kept");
  llvm::AllocaInst* kept_splits = stack_array(b_.getInt32Ty(), b_.getInt64(1), "splits");
  b_.CreateStore(neutral(tree.kind, tree.dtype), kept);
  b_.CreateStore(b_.getInt32(0), kept_splits);

  Loop set_loop = open_loop(b_.CreateLShr(thread, 5), sets, b_.getInt32(static_cast<uint32_t>(warps)), false, "set");
  llvm::Value* slot = b_.CreateOr(b_.CreateShl(set_loop.index, slot_bits), b_.CreateLShr(team.lane, team.width_bits()));
  auto [sum, own_splits] = emit_either_set(team, set_loop.index, slot, size, depth);
  for (int level = 0; level < slot_bits; ++level)
    sum = joined(sum, own_splits, level, static_cast<int>(tree.width) << level);
  if (warps > 1) {
    store_parts({b_.CreateGEP(stored, sums, set_loop.index)}, {sum}, tree.dtype, no_buffer);
    b_.CreateStore(own_splits, b_.CreateGEP(b_.getInt32Ty(), marks, set_loop.index));
  } else {
    llvm::Value* is_mine = b_.CreateICmpEQ(set_loop.index, team.lane);
    b_.CreateStore(b_.CreateSelect(is_mine, sum, b_.CreateLoad(tree.type, kept)), kept);
    b_.CreateStore(b_.CreateSelect(is_mine, own_splits, b_.CreateLoad(b_.getInt32Ty(), kept_splits)), kept_splits);
  }
  close_loop(set_loop, false);

  llvm::Value *total, *splits;
  if (warps > 1) {
    emit_barrier();
    llvm::Value* set = b_.CreateAnd(team.lane, sets_a_chunk - 1);
    total = load_parts({b_.CreateGEP(stored, sums, set)}, tree.dtype, no_buffer).first;
    splits = b_.CreateLoad(b_.getInt32Ty(), b_.CreateGEP(b_.getInt32Ty(), marks, set));
    emit_barrier();  // the next chunk writes there again
  } else {
    total = b_.CreateLoad(tree.type, kept);
    splits = b_.CreateLoad(b_.getInt32Ty(), kept_splits);
  }
  for (int level = 0; level < log2_of(sets_a_chunk); ++level)
    total = joined(total, splits, slot_bits + level, 1 << level);
  return shuffle(llvm::Intrinsic::nvvm_shfl_sync_idx_i32, total, 0, everyone);
}

}  // namespace tessera::codegen
