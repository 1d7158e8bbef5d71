// Double-buffered reductions of one chunk per lane, into which long reductions are cut: while a team combines the sums
// of its threads, the elements of its next lane are being loaded.
#include "tessera/base/error.h"
#include "tessera/codegen/emit/emitter.h"
#include "tessera/codegen/emit/reductions/team.h"

#include <algorithm>

namespace tessera::codegen {

using ir::Opcode;
using ir::Value;

/// The elements a thread has loaded of a lane: all of them, or none.
struct Teams::DoubleBuffer {
  llvm::Value* is_there;
  std::vector<llvm::Value*> loaded;

  std::vector<llvm::Value*> all() const {
    std::vector<llvm::Value*> values{is_there};
    values.insert(values.end(), loaded.begin(), loaded.end());
    return values;
  }
};

/// Loads the elements of a lane if it exists and is a whole chunk; the instructions before the reduction have been
/// emitted for that lane.
Teams::DoubleBuffer Teams::fetch_lane(const DoubleBuffer& before, Value reduction, llvm::Value* exists) {
  const Tree tree = e_.reductions.make_tree(reduction);
  llvm::Value *lower = get_one(kernel_.operands(reduction)[0]), *upper = get_one(kernel_.operands(reduction)[1]);
  DoubleBuffer double_buffered{
      .is_there = b_.CreateAnd(exists, b_.CreateICmpEQ(b_.CreateSub(upper, lower), b_.getInt64(chunk_size)))};
  if (tree.has_parts())
    double_buffered.is_there = b_.CreateAnd(double_buffered.is_there, e_.reductions.emit_is_whole());
  llvm::BasicBlock* start = b_.GetInsertBlock();
  llvm::BasicBlock* fetch = llvm::BasicBlock::Create(context_, "fetch", function_);
  llvm::BasicBlock* done = llvm::BasicBlock::Create(context_, "", function_);
  b_.CreateCondBr(double_buffered.is_there, fetch, done);
  b_.SetInsertPoint(fetch);
  const Team team = make_team(tree, lower);
  llvm::Value* at =
      b_.CreateAdd(b_.CreateMul(emit_slot(team, team.warp), b_.getInt32(static_cast<uint32_t>(tree.leaf))), team.part);
  std::vector<llvm::Value*> loaded;
  e_.memory.read_whole(tree.has_parts());
  for (int64_t k = 0; k < tree.leaf; k += tree.width) {
    team_element(team, b_.CreateAdd(at, b_.getInt32(static_cast<uint32_t>(k))));
    const Parts parts = get(only_load(kernel_, reduction));
    loaded.push_back(tree.has_parts() ? e_.reductions.join_parts(parts) : parts.first);
  }
  e_.memory.read_whole(false);
  llvm::BasicBlock* end = b_.GetInsertBlock();
  b_.CreateBr(done);
  b_.SetInsertPoint(done);
  for (size_t k = 0; k < loaded.size(); ++k) {
    llvm::PHINode* phi = b_.CreatePHI(loaded[k]->getType(), 2);
    phi->addIncoming(k < before.loaded.size() ? before.loaded[k] : llvm::PoisonValue::get(loaded[k]->getType()), start);
    phi->addIncoming(loaded[k], end);
    double_buffered.loaded.push_back(phi);
  }
  return double_buffered;
}

/// The reduction of a whole chunk, in the first warp. The other warps go on to the next chunk, whose sums use the other
/// half of shared memory.
llvm::Value* Teams::join_by_first_warp(const Team& team, llvm::Value* side, llvm::Value* sum) {
  constexpr int sets = 16;
  const Tree& tree = team.tree;
  llvm::Value* sums = b_.CreateGEP(team.stored, team.sums, b_.CreateMul(side, b_.getInt32(sets)));
  store_sum(tree, b_.CreateGEP(team.stored, sums, team.warp), sum);
  e_.meetings.emit_barrier();
  llvm::BasicBlock* before = b_.GetInsertBlock();
  llvm::BasicBlock* join = llvm::BasicBlock::Create(context_, "join", function_);
  llvm::BasicBlock* done = llvm::BasicBlock::Create(context_, "", function_);
  b_.CreateCondBr(b_.CreateICmpEQ(team.warp, b_.getInt32(0)), join, done);
  b_.SetInsertPoint(join);
  llvm::Value* own = load_sum(tree, b_.CreateGEP(team.stored, sums, b_.CreateAnd(team.lane, sets - 1)));
  llvm::Value* total = join_levels(tree, own, b_.getInt32(~0u), 1, 4, b_.getInt32(~0u));
  llvm::BasicBlock* joined = b_.GetInsertBlock();
  b_.CreateBr(done);
  b_.SetInsertPoint(done);
  llvm::PHINode* result = b_.CreatePHI(tree.type, 2);
  result->addIncoming(sum, before);
  result->addIncoming(total, joined);
  return result;
}

/// The thread's partial reduction of a lane that it has loaded.
llvm::Value* Teams::reduce_loaded(const Team& team, const DoubleBuffer& double_buffered) {
  const Tree& tree = team.tree;
  std::vector<llvm::Value*> elements;
  for (llvm::Value* value : double_buffered.loaded) {
    const Parts parts = tree.has_parts() ? e_.reductions.split_parts(value) : Parts{value};
    e_.values.give(only_load(kernel_, tree.reduction), parts);
    if (tree.has_parts()) e_.values.give(only_load(kernel_, tree.imaginary), parts);
    elements.push_back(team_element(team, b_.getInt32(0)));
  }
  e_.values.take_all_back();
  return reduce_elements(tree, e_.reductions.neutral(tree), std::move(elements));
}

/// Waits for the launch before this one. A launch that begins early has loaded its first lanes by now, and stores only
/// once the earlier one is done. The next launch may then begin early, too.
void Teams::wait_for_launch_before() {
  if (!can_begin_early(mapping_)) return;
  device::wait_for_launch_before(b_);
}

namespace {

using Position = std::vector<Value>::const_iterator;

/// The reduction in the body of a kernel whose lanes can be double-buffered.
Position find_reduction(const ir::Kernel& kernel, const DeviceMapping& mapping) {
  const std::vector<Value>& body = kernel.regions[0].body;
  const Position found =
      std::find_if(body.begin(), body.end(), [&](Value v) { return kernel.instructions[v].op == Opcode::reduce; });
  invariant(found != body.end() && mapping.team == 512 && kernel.ndim == 1 && kernel.flag_slots == 0,
            "codegen: lanes that cannot be read ahead");
  return found;
}

/// A value that is `first` in the loop's first iteration; the caller adds its value in later ones.
llvm::PHINode* carry(llvm::IRBuilder<>& b, llvm::Value* first, llvm::BasicBlock* before) {
  llvm::PHINode* phi = b.CreatePHI(first->getType(), 2);
  phi->addIncoming(first, before);
  return phi;
}

/// The value from the one or the other of two blocks that meet here.
llvm::PHINode* either(llvm::IRBuilder<>& b, llvm::Value* one, llvm::BasicBlock* one_end, llvm::Value* two,
                      llvm::BasicBlock* two_end) {
  llvm::PHINode* phi = b.CreatePHI(one->getType(), 2);
  phi->addIncoming(one, one_end);
  phi->addIncoming(two, two_end);
  return phi;
}

/// What the next iteration finds: what one path fetched, and after the other one no loaded elements.
std::vector<llvm::Value*> carried_on(llvm::IRBuilder<>& b, const std::vector<llvm::Value*>& fetched,
                                     llvm::BasicBlock* fetched_end, const std::vector<llvm::PHINode*>& carried,
                                     llvm::BasicBlock* other_end) {
  std::vector<llvm::Value*> values{either(b, fetched[0], fetched_end, b.getFalse(), other_end)};
  for (size_t k = 1; k < fetched.size(); ++k)
    values.push_back(either(b, fetched[k], fetched_end, carried[k], other_end));
  return values;
}

}  // namespace

void Teams::emit_double_buffered_lanes(llvm::Value* begin, llvm::Value* size) {
  const std::vector<Value>& body = kernel_.regions[0].body;
  const Position at_reduction = find_reduction(kernel_, mapping_);
  const Value reduction = *at_reduction;
  llvm::Value* first = e_.frame.special_register(GridNumber::block_x);
  llvm::Value* stride = e_.frame.mark_positive(e_.frame.special_register(GridNumber::blocks_x));
  w_.leader = b_.CreateICmpEQ(e_.frame.special_register(GridNumber::thread_x), b_.getInt64(0));
  // Emits the instructions before the reduction, for a given lane.
  const auto enter = [&](llvm::Value* lane) {
    w_.axis_index.back() = b_.CreateAdd(lane, begin);
    std::for_each(body.begin(), at_reduction, [&](Value v) { e_.values.emit_instruction(v); });
  };
  w_.in_lane = true;
  enter(first);
  DoubleBuffer double_buffered = fetch_lane({}, reduction, b_.CreateICmpSLT(first, size));
  wait_for_launch_before();
  llvm::BasicBlock* before = b_.GetInsertBlock();
  Loop lane = e_.control.open_loop(first, size, stride, false, "lane");
  std::vector<llvm::PHINode*> carried;
  for (llvm::Value* value : double_buffered.all()) carried.push_back(carry(b_, value, before));
  llvm::PHINode* side = carry(b_, b_.getInt32(0), before);
  double_buffered = {.is_there = carried[0], .loaded = {carried.begin() + 1, carried.end()}};
  const auto block = [&](const char* name) { return llvm::BasicBlock::Create(context_, name, function_); };
  llvm::BasicBlock *there = block("there"), *other = block("other"), *done = block("done");
  enter(lane.index);
  b_.CreateCondBr(double_buffered.is_there, there, other);

  b_.SetInsertPoint(there);
  const Tree tree = e_.reductions.make_tree(reduction);
  const Team team = make_team(tree, get_one(kernel_.operands(reduction)[0]));
  llvm::Value* own = reduce_loaded(team, double_buffered);
  llvm::Value* next = b_.CreateAdd(lane.index, stride);
  enter(next);
  const DoubleBuffer fetched = fetch_lane(double_buffered, reduction, b_.CreateICmpSLT(next, size));
  llvm::Value* total = join_by_first_warp(team, side, join_levels(tree, own, b_.getInt32(~0u), 1, 5, b_.getInt32(~0u)));
  llvm::BasicBlock* there_end = b_.GetInsertBlock();
  b_.CreateBr(done);

  b_.SetInsertPoint(other);
  enter(lane.index);
  mapping_.fast_compile = true;  // this path seldom runs and must not take registers from the main one
  llvm::Value* otherwise = e_.reductions.emit_tree(reduction);
  mapping_.fast_compile = false;
  llvm::BasicBlock* other_end = b_.GetInsertBlock();
  b_.CreateBr(done);

  b_.SetInsertPoint(done);
  llvm::Value* result = either(b_, total, there_end, otherwise, other_end);
  const std::vector<llvm::Value*> last = carried_on(b_, fetched.all(), there_end, carried, other_end);
  enter(lane.index);
  e_.reductions.set_reduction(reduction, result);
  std::for_each(at_reduction + 1, body.end(), [&](Value v) { e_.values.emit_instruction(v); });
  for (size_t k = 0; k < last.size(); ++k) carried[k]->addIncoming(last[k], b_.GetInsertBlock());
  side->addIncoming(b_.CreateXor(side, 1), b_.GetInsertBlock());
  e_.control.close_loop(lane, false);
  w_.in_lane = false;
}

}  // namespace tessera::codegen
