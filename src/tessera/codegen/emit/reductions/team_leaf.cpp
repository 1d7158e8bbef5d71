// The parts of a team's reduction that each thread computes alone: the position of a slot's leaf, and the leaf's
// elements.
#include "tessera/codegen/emit/emitter.h"
#include "tessera/codegen/emit/reductions/team.h"

#include <algorithm>

namespace tessera::codegen {

using ir::Value;

/// The position of a slot in its chunk.
struct Teams::Place {
  llvm::Value* at;
  llvm::Value* size;
  llvm::Value* splits;  // bit k: the node k levels above the deepest slots was split
};

namespace {

llvm::Value* left_of(llvm::IRBuilder<>& b, llvm::Value* size, int64_t width) {
  return b.CreateAnd(b.CreateLShr(size, 1), ~static_cast<uint32_t>(width - 1));
}

}  // namespace

llvm::Value* Teams::team_element(const Team& team, llvm::Value* at) {
  llvm::Value* index = b_.CreateAdd(team.begin, b_.CreateZExt(at, word_), "", false, true);
  const bool outer = e_.reductions.enter_team_reduction(true);
  llvm::Value* element = e_.reductions.emit_reduction_element(team.tree.reduction, team.tree.imaginary, index);
  e_.reductions.enter_team_reduction(outer);
  return element;
}

bool Teams::order_matters(const Tree& tree) {
  return is_floating(tree.dtype) && (tree.kind == ir::ReduceKind::add || tree.kind == ir::ReduceKind::mul);
}

/// The extreme of several elements, equal to that of combining them one by one, which takes 23 instructions each for
/// doubles on a device: NaN takes precedence, and the sign of a zero result follows from all elements' sign bits
/// together.
llvm::Value* Teams::reduce_extremes(const Tree& tree, std::vector<llvm::Value*> elements) {
  const bool largest = tree.kind == ir::ReduceKind::max;
  const bool is_wide = tree.type->isDoubleTy();
  const auto upper = [&](llvm::Value* x) -> llvm::Value* {
    return is_wide ? b_.CreateTrunc(b_.CreateLShr(b_.CreateBitCast(x, word_), 32), b_.getInt32Ty())
                   : b_.CreateBitCast(x, b_.getInt32Ty());
  };
  llvm::Value* signs = upper(elements[0]);
  for (size_t k = 1; k < elements.size(); ++k)
    signs = largest ? b_.CreateAnd(signs, upper(elements[k])) : b_.CreateOr(signs, upper(elements[k]));
  signs = b_.CreateAnd(signs, 0x80000000u);
  while (elements.size() > 1) {
    std::vector<llvm::Value*> winners;
    for (size_t k = 0; k + 1 < elements.size(); k += 2) {
      llvm::Value *x = elements[k], *y = elements[k + 1];
      llvm::Value* beats = largest ? b_.CreateFCmpUGT(x, y) : b_.CreateFCmpULT(x, y);
      winners.push_back(b_.CreateSelect(b_.CreateAnd(beats, b_.CreateFCmpORD(y, y)), x, y));
    }
    if (elements.size() % 2) winners.push_back(elements.back());
    elements = std::move(winners);
  }
  llvm::Value* zero = b_.CreateBitCast(is_wide ? b_.CreateShl(b_.CreateZExt(signs, word_), 32) : signs, tree.type);
  return b_.CreateSelect(b_.CreateFCmpOEQ(elements[0], number(tree.type, 0)), zero, elements[0]);
}

/// Each combining of extremes is several dependent instructions: as any order gives the same value, a tree shortens the
/// chain.
llvm::Value* Teams::reduce_elements(const Tree& tree, llvm::Value* total, std::vector<llvm::Value*> elements) {
  const bool is_extreme = tree.kind == ir::ReduceKind::max || tree.kind == ir::ReduceKind::min;
  constexpr int knows_nan = 80;  // the first capability whose float32 extremes propagate NaN
  if (is_extreme && (tree.type->isDoubleTy() || (tree.type->isFloatTy() && machine_.level < knows_nan))) {
    elements.push_back(total);
    return reduce_extremes(tree, std::move(elements));
  }
  while (!order_matters(tree) && elements.size() > 1) {
    std::vector<llvm::Value*> joined;
    for (size_t k = 0; k + 1 < elements.size(); k += 2)
      joined.push_back(e_.reductions.combine(tree.kind, tree.dtype, elements[k], elements[k + 1]));
    if (elements.size() % 2) joined.push_back(elements.back());
    elements = std::move(joined);
  }
  for (llvm::Value* element : elements) total = e_.reductions.combine(tree.kind, tree.dtype, total, element);
  return total;
}

/// `total` and the elements at, at + step, ... below at + count, reduced in order where the order matters; `at_once`
/// loads are in flight. Loads beyond the end read the first element and are ignored.
llvm::Value* Teams::emit_team_run(const Team& team, llvm::Value* at, llvm::Value* count, llvm::Value* total,
                                  int64_t step, int at_once) {
  const Tree& tree = team.tree;
  const auto body = [&](llvm::Value* index, const std::vector<llvm::Value*>& carried) -> std::vector<llvm::Value*> {
    std::vector<llvm::Value*> elements;
    for (int k = 0; k < at_once; ++k) {
      llvm::Value* offset = b_.CreateAdd(index, b_.getInt32(static_cast<uint32_t>(k * step)), "", true, true);
      llvm::Value* is_inside = k > 0 ? b_.CreateICmpULT(offset, count) : b_.getTrue();
      llvm::Value* element =
          team_element(team, b_.CreateAdd(at, b_.CreateSelect(is_inside, offset, b_.getInt32(0)), "", true, true));
      elements.push_back(b_.CreateSelect(is_inside, element, e_.reductions.neutral(tree)));
    }
    return {reduce_elements(tree, carried[0], std::move(elements))};
  };
  return e_.control.emit_carrying(b_.getInt32(0), count, b_.getInt32(static_cast<uint32_t>(step * at_once)), {total},
                                  body)[0];
}

/// The number of elements a thread loads at once. The last chunk, whose leaves are all shorter, also needs many loads
/// in flight, since it must not take longer than all others.
int Teams::elements_at_once(const Tree& tree) const {
  const ir::RegionId region = kernel_.instructions[tree.reduction].first_region;
  const int cost = e_.reductions.region_cost(region);
  return cost <= 12 ? static_cast<int>(tree.leaf / tree.width) : cost <= 32 ? 4 : 1;
}

/// A leaf's reduction with the code of an element written once: one loop covers the thread's own elements, the
/// combining of the partial sums, and the elements that remain after them.
llvm::Value* Teams::emit_short_leaf(const Team& team, llvm::Value* at, llvm::Value* size) {
  const Tree& tree = team.tree;
  const auto bits = static_cast<uint64_t>(team.width_bits());
  llvm::Value* steps = b_.CreateLShr(size, bits);
  llvm::Value* even = b_.CreateShl(steps, bits);
  const auto body = [&](llvm::Value* index, const Carried& carried) -> Carried {
    const auto block = [&](const char* name) { return llvm::BasicBlock::Create(context_, name, function_); };
    llvm::BasicBlock *join = block("join"), *element = block("element"), *done = block("");
    b_.CreateCondBr(b_.CreateICmpEQ(index, steps), join, element);
    b_.SetInsertPoint(join);
    llvm::Value* joined = join_levels(tree, carried[0], b_.getInt32(~0u), 1, team.width_bits(), team.group);
    llvm::BasicBlock* join_end = b_.GetInsertBlock();
    b_.CreateBr(done);
    b_.SetInsertPoint(element);
    llvm::Value* own = b_.CreateOr(b_.CreateShl(index, bits), team.part);
    llvm::Value* left = b_.CreateAdd(even, b_.CreateSub(index, b_.CreateAdd(steps, b_.getInt32(1))));
    llvm::Value* offset = b_.CreateSelect(b_.CreateICmpULT(index, steps), own, left);
    llvm::Value* reduced = reduce_elements(tree, carried[0], {team_element(team, b_.CreateAdd(at, offset))});
    llvm::BasicBlock* element_end = b_.GetInsertBlock();
    b_.CreateBr(done);
    b_.SetInsertPoint(done);
    llvm::PHINode* total = b_.CreatePHI(tree.type, 2);
    total->addIncoming(joined, join_end);
    total->addIncoming(reduced, element_end);
    return {total};
  };
  llvm::Value* count = b_.CreateAdd(b_.CreateAdd(steps, b_.getInt32(1)), b_.CreateSub(size, even));
  return e_.control.emit_carrying(b_.getInt32(0), count, b_.getInt32(1), {e_.reductions.neutral(tree)}, body)[0];
}

/// A leaf's reduction, in each of its threads.
llvm::Value* Teams::emit_team_leaf(const Team& team, llvm::Value* at, llvm::Value* size) {
  if (mapping_.fast_compile) return emit_short_leaf(team, at, size);
  const Tree& tree = team.tree;
  const int at_once = elements_at_once(tree);
  llvm::Value* even = b_.CreateAnd(size, ~static_cast<uint32_t>(tree.width - 1));
  llvm::Value* own = emit_team_run(team, b_.CreateAdd(at, team.part, "", true, true), even, e_.reductions.neutral(tree),
                                   tree.width, at_once);
  llvm::Value* sum = join_levels(tree, own, b_.getInt32(~0u), 1, team.width_bits(), team.group);
  return emit_team_run(team, b_.CreateAdd(at, even), b_.CreateSub(size, even), sum, 1,
                       std::min(at_once, static_cast<int>(tree.width) - 1));
}

/// The reductions of the leaves in one set of a whole chunk, in each of a leaf's threads. Threads load neighbouring
/// elements, so that memory is read line by line; where the order matters, groups of `width` threads then exchange
/// elements so that each gets those of its own leaf.
llvm::Value* Teams::emit_whole_set(const Team& team, llvm::Value* set) {
  constexpr int warp = 32;
  const Tree& tree = team.tree;
  const int steps = static_cast<int>(tree.leaf / tree.width), groups = warp / static_cast<int>(tree.width),
            runs = steps / groups;
  llvm::Value* begin =
      b_.CreateAdd(b_.CreateMul(set, b_.getInt32(static_cast<uint32_t>(warp * steps))), team.lane, "", true, true);
  std::vector<llvm::Value*> elements, own;
  for (int k = 0; k < steps; ++k)
    elements.push_back(
        team_element(team, b_.CreateAdd(begin, b_.getInt32(static_cast<uint32_t>(k * warp)), "", true, true)));
  // Element leaf * runs + run of group g is the leaf's step run * groups + g: the exchange transposes leaves and
  // groups.
  llvm::Value* own_group = b_.CreateUDiv(team.lane, b_.getInt32(static_cast<uint32_t>(tree.width)));
  for (int bit = 1; bit < groups && order_matters(tree); bit *= 2) {
    llvm::Value* has_bit = b_.CreateICmpNE(b_.CreateAnd(own_group, static_cast<uint32_t>(bit)), b_.getInt32(0));
    for (int k = 0; k < steps; ++k) {
      if (k / runs & bit) continue;
      llvm::Value*& low = elements[static_cast<size_t>(k)];
      llvm::Value*& high = elements[static_cast<size_t>(k + bit * runs)];
      llvm::Value* given = shuffle(ir::ShuffleKind::exchange, b_.CreateSelect(has_bit, low, high),
                                   b_.getInt32(static_cast<uint32_t>(bit * tree.width)), b_.getInt32(~0u));
      low = b_.CreateSelect(has_bit, given, low);
      high = b_.CreateSelect(has_bit, high, given);
    }
  }
  for (int run = 0; run < runs; ++run)
    for (int group = 0; group < groups; ++group) own.push_back(elements[static_cast<size_t>(group * runs + run)]);
  llvm::Value* sum = reduce_elements(tree, e_.reductions.neutral(tree), std::move(own));
  return join_levels(tree, sum, b_.getInt32(~0u), 1, team.width_bits(), team.group);
}

/// How often the larger half is halved until it is a leaf. Optimised code handles no more levels than a whole chunk
/// has: emit_set() does the last level of uneven chunks.
llvm::Value* Teams::emit_team_depth(const Team& team, llvm::Value* count) {
  const Tree& tree = team.tree;
  const auto level = [&](llvm::Value*, const Carried& carried) -> Carried {
    llvm::Value* is_split = b_.CreateICmpSGT(carried[0], b_.getInt32(static_cast<uint32_t>(tree.leaf)));
    llvm::Value* right = b_.CreateSub(carried[0], left_of(b_, carried[0], tree.width));
    return {b_.CreateSelect(is_split, right, carried[0]),
            b_.CreateAdd(carried[1], b_.CreateZExt(is_split, b_.getInt32Ty()))};
  };
  return emit_levels(team.levels() + (mapping_.fast_compile || w_.in_epilogue), {count, b_.getInt32(0)}, level)[1];
}

Teams::Place Teams::emit_team_place(const Team& team, llvm::Value* slot, llvm::Value* count, llvm::Value* depth) {
  const Tree& tree = team.tree;
  const auto level = [&](llvm::Value* index, const Carried& carried) -> Carried {
    llvm::Value *at = carried[0], *size = carried[1];
    llvm::Value* is_split = b_.CreateICmpSGT(size, b_.getInt32(static_cast<uint32_t>(tree.leaf)));
    llvm::Value* bit = b_.CreateAnd(b_.CreateSub(b_.CreateSub(depth, b_.getInt32(1)), index), 31);
    llvm::Value* goes_right = b_.CreateTrunc(b_.CreateLShr(slot, bit), b_.getInt1Ty());
    llvm::Value* left = left_of(b_, size, tree.width);
    llvm::Value* side = b_.CreateSelect(goes_right, b_.CreateSub(size, left), left);
    return {b_.CreateSelect(b_.CreateAnd(is_split, goes_right), b_.CreateAdd(at, left), at),
            b_.CreateSelect(is_split, side, size),
            b_.CreateOr(carried[2], b_.CreateShl(b_.CreateZExt(is_split, b_.getInt32Ty()), bit))};
  };
  const Carried start{b_.getInt32(0), count, b_.getInt32(0)};
  if (mapping_.fast_compile || w_.in_epilogue) {
    const Carried found = e_.control.emit_carrying(b_.getInt32(0), depth, b_.getInt32(1), start, level);
    return {.at = found[0], .size = found[1], .splits = found[2]};
  }
  const auto block = [&](const char* name) { return llvm::BasicBlock::Create(context_, name, function_); };
  llvm::BasicBlock *full = block("full"), *uneven = block("uneven"), *found = block("found");
  b_.CreateCondBr(b_.CreateICmpEQ(count, b_.getInt32(chunk_size)), full, uneven);
  b_.SetInsertPoint(full);
  llvm::Value* full_at = b_.CreateMul(slot, b_.getInt32(static_cast<uint32_t>(tree.leaf)));
  b_.CreateBr(found);
  b_.SetInsertPoint(uneven);
  const Carried place = emit_levels(team.levels(), start, level);
  b_.CreateBr(found);
  b_.SetInsertPoint(found);
  const auto either = [&](llvm::Value* of_full, llvm::Value* of_uneven) {
    llvm::PHINode* phi = b_.CreatePHI(b_.getInt32Ty(), 2);
    phi->addIncoming(of_full, full);
    phi->addIncoming(of_uneven, uneven);
    return phi;
  };
  return {.at = either(full_at, place[0]),
          .size = either(b_.getInt32(static_cast<uint32_t>(tree.leaf)), place[1]),
          .splits = either(b_.getInt32(~0u), place[2])};
}

/// The reduction of the thread's slot and the split bits of the nodes above it; the leaves of a whole chunk need no
/// bounds.
Teams::SetSum Teams::emit_set(const Team& team, llvm::Value* set, llvm::Value* size, llvm::Value* depth) {
  const Tree& tree = team.tree;
  const bool is_short_text = mapping_.fast_compile || w_.in_epilogue;
  // The deepest slots of uneven trees may still have to be halved once.
  const auto halves = [&](const Place& place) -> llvm::Value* {
    llvm::Value* is_split = b_.CreateICmpSGT(place.size, b_.getInt32(static_cast<uint32_t>(tree.leaf)));
    llvm::Value* left = left_of(b_, place.size, tree.width);
    const auto half = [&](llvm::Value* index, const Carried& total) -> Carried {
      llvm::Value* is_right = b_.CreateICmpNE(index, b_.getInt32(0));
      llvm::Value* own = b_.CreateSelect(is_right, b_.CreateSub(place.size, left), left);
      llvm::Value* leaf = emit_team_leaf(team, b_.CreateSelect(is_right, b_.CreateAdd(place.at, left), place.at),
                                         b_.CreateSelect(is_split, own, place.size));
      return {b_.CreateSelect(is_right, e_.reductions.combine(tree.kind, tree.dtype, total[0], leaf), leaf)};
    };
    return e_.control.emit_carrying(b_.getInt32(0), b_.CreateSelect(is_split, b_.getInt32(2), b_.getInt32(1)),
                                    b_.getInt32(1), {e_.reductions.neutral(tree)}, half)[0];
  };
  const auto by_place = [&]() -> SetSum {
    const Place place = emit_team_place(team, emit_slot(team, set), size, depth);
    return {is_short_text ? emit_team_leaf(team, place.at, place.size) : halves(place), place.splits};
  };
  if (is_short_text || elements_at_once(tree) < tree.leaf / tree.width) return by_place();
  const auto block = [&](const char* name) { return llvm::BasicBlock::Create(context_, name, function_); };
  llvm::BasicBlock *whole = block("whole"), *partial = block("partial"), *done = block("reduced");
  b_.CreateCondBr(b_.CreateICmpEQ(size, b_.getInt32(chunk_size)), whole, partial);
  b_.SetInsertPoint(whole);
  llvm::Value* of_whole = emit_whole_set(team, set);
  llvm::BasicBlock* whole_end = b_.GetInsertBlock();
  b_.CreateBr(done);
  b_.SetInsertPoint(partial);
  const SetSum of_partial = by_place();
  llvm::BasicBlock* partial_end = b_.GetInsertBlock();
  b_.CreateBr(done);
  b_.SetInsertPoint(done);
  llvm::PHINode *sum = b_.CreatePHI(tree.type, 2), *splits = b_.CreatePHI(b_.getInt32Ty(), 2);
  sum->addIncoming(of_whole, whole_end);
  sum->addIncoming(of_partial.sum, partial_end);
  splits->addIncoming(b_.getInt32(team.whole_splits()), whole_end);
  splits->addIncoming(of_partial.splits, partial_end);
  return {sum, splits};
}

}  // namespace tessera::codegen
