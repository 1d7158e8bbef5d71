// Pairwise reductions: NumPy's tree, traversed with a small stack. A leaf is reduced with one vector of partial
// results; a node of exactly four full leaves is reduced at once with four vectors, which gives the same value and
// hides the operations' latency.
#include "tessera/base/error.h"
#include "tessera/codegen/emit/emitter.h"

namespace tessera::codegen {

using ir::Opcode;
using ir::ReduceOrder;
using ir::Value;

/// Whether the elements are contiguous in one buffer, so that they need not be gathered first.
bool Reductions::is_plain_load(Value v) const {
  const ir::Region& region = kernel_.region(v, 0);
  const Value element = yielded(kernel_, region)[0];
  const ir::Instruction& i = kernel_.instructions[element];
  if (i.op != Opcode::load || is_complex(i.type)) return false;
  const ir::BufferParam& buffer = kernel_.buffers[i.imm];
  if (buffer.inner != ir::InnerStride::contiguous || i.arg_count == 0) return false;
  std::span<const Value> indices = kernel_.operands(element);
  for (Value index : indices.first(indices.size() - 1))
    if (kernel_.instructions[index].op != Opcode::index && kernel_.instructions[index].op != Opcode::constant)
      return false;
  return indices.back() == region.arg_values[0];
}

Tree Reductions::make_tree(Value v) {
  const ir::Instruction& i = kernel_.instructions[v];
  const bool halved = ir::reduce_order(i.attr) == ReduceOrder::pairwise_complex;
  // A single thread's trees read elements from memory and are reduced one at a time.
  const Value imaginary = shares_reductions() ? imaginary_reduction(v) : ir::no_value;
  llvm::Type* part = value_type(context_, i.type);
  return {.reduction = v,
          .imaginary = imaginary,
          .kind = ir::reduce_kind(i.attr),
          .dtype = i.type,
          .type = imaginary != ir::no_value ? llvm::FixedVectorType::get(part, 2) : part,
          .width = halved ? 4 : 8,
          .leaf = halved ? 64 : 128,
          .is_plain = is_plain_load(v)};
}

/// Whether the range ends at most one chunk after its beginning, as in the first step of long reductions.
bool Reductions::is_within_chunk(Value v) const {
  const auto at = [&](Value w) -> const ir::Instruction& { return kernel_.instructions[w]; };
  const Value lower = kernel_.operands(v)[0], upper = kernel_.operands(v)[1];
  if (at(upper).op != Opcode::min) return false;
  for (Value bound : kernel_.operands(upper)) {
    if (at(bound).op != Opcode::add || kernel_.operands(bound)[0] != lower) continue;
    const ir::Instruction& size = at(kernel_.operands(bound)[1]);
    if (size.op == Opcode::constant && kernel_.constants[size.imm].as_int() <= chunk_size) return true;
  }
  return false;
}

llvm::Value* Reductions::emit_tree(Value v) {
  Tree tree = make_tree(v);
  if (shares_reductions() && is_within_chunk(v)) {
    llvm::Value* lower = get_one(kernel_.operands(v)[0]);
    llvm::Value* count = b_.CreateSub(get_one(kernel_.operands(v)[1]), lower);
    llvm::Value* start = start_of(tree);
    llvm::Value* sum =
        e_.teams.emit_team_chunk(tree, lower, b_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, count, b_.getInt64(0)));
    return b_.CreateSelect(b_.CreateICmpSGT(count, b_.getInt64(0)), sum, start);
  }
  std::optional<Schedule> elements;
  if (machine_.kind == Machine::Kind::host && has_element_calls(kernel_, v)) {
    elements.emplace(kernel_, dependence_, v);
    tree.elements = &*elements;
  }
  if (!shares_reductions()) {
    tree.position = e_.frame.stack_array(word_, b_.getInt64(1), "position");
    tree.depth = e_.frame.stack_array(word_, b_.getInt64(1), "depth");
    tree.rights = e_.frame.stack_array(word_, b_.getInt64(16), "rights");
    tree.lefts = e_.frame.stack_array(tree.type, b_.getInt64(16), "lefts");
    if (!tree.is_plain && !tree.elements)
      tree.buffer = e_.frame.stack_array(tree.type, b_.getInt64(tree.block()), "elements");
  }
  llvm::Value* chunks = e_.frame.stack_array(tree.type, b_.getInt64(64), "chunks");
  llvm::Value* total = e_.frame.stack_array(tree.type, b_.getInt64(1), "total");
  llvm::Value* height = e_.frame.stack_array(word_, b_.getInt64(1), "height");

  llvm::Value* lower = get_one(kernel_.operands(v)[0]);
  llvm::Value* upper = get_one(kernel_.operands(v)[1]);
  b_.CreateStore(start_of(tree), total);
  b_.CreateStore(b_.getInt64(0), height);
  Loop loop = e_.control.open_loop(lower, upper, b_.getInt64(chunk_size), false, "chunk");
  llvm::Value* rest = b_.CreateSub(upper, loop.index);
  llvm::Value* count = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, rest, b_.getInt64(chunk_size));
  llvm::Value* sum =
      shares_reductions() ? e_.teams.emit_team_chunk(tree, loop.index, count) : emit_chunk(tree, loop.index, count);
  b_.CreateStore(sum, total);
  // Combining in the pattern of a binary counter pairs neighbours level by level; the rest is combined at the end.
  llvm::Value* number_of_chunk = b_.CreateUDiv(b_.CreateSub(loop.index, lower), b_.getInt64(chunk_size));
  llvm::Value* joins =
      b_.CreateIntrinsic(llvm::Intrinsic::cttz, {word_}, {b_.CreateNot(number_of_chunk), b_.getFalse()});
  emit_joins(tree, chunks, total, height, joins);
  llvm::Value* top = b_.CreateLoad(word_, height);
  b_.CreateStore(b_.CreateLoad(tree.type, total), b_.CreateGEP(tree.type, chunks, top));
  b_.CreateStore(b_.CreateAdd(top, b_.getInt64(1)), height);
  e_.control.close_loop(loop, false);
  // The last chunk's sum is in `total` and on the stack; the sums below it are combined from the top down.
  llvm::Value* left = b_.CreateBinaryIntrinsic(
      llvm::Intrinsic::smax, b_.CreateSub(b_.CreateLoad(word_, height), b_.getInt64(1)), b_.getInt64(0));
  b_.CreateStore(left, height);
  emit_joins(tree, chunks, total, height, left);
  return b_.CreateLoad(tree.type, total);
}

/// Pops `count` sums and combines each, as the left neighbour, with the total so far.
void Reductions::emit_joins(const Tree& tree, llvm::Value* chunks, llvm::Value* total, llvm::Value* height,
                            llvm::Value* count) {
  Loop loop = e_.control.open_loop(b_.getInt64(0), count, b_.getInt64(1), false, "join");
  llvm::Value* top = b_.CreateSub(b_.CreateLoad(word_, height), b_.getInt64(1));
  b_.CreateStore(top, height);
  llvm::Value* left = b_.CreateLoad(tree.type, b_.CreateGEP(tree.type, chunks, top));
  b_.CreateStore(combine(tree.kind, tree.dtype, left, b_.CreateLoad(tree.type, total)), total);
  e_.control.close_loop(loop, false);
  e_.control.keep_rolled(loop);
}

/// The tree over [begin, begin + count): descends to the left until a leaf, then ascends while right sides are done.
llvm::Value* Reductions::emit_chunk(const Tree& tree, llvm::Value* begin, llvm::Value* count) {
  const auto block = [&](const char* name) { return llvm::BasicBlock::Create(context_, name, function_); };
  llvm::BasicBlock *descend = block("descend"), *split = block(""), *leaf = block("leaf"), *ascend = block("ascend"),
                   *check = block(""), *turn = block("turn"), *join = block("join"), *done = block("");
  llvm::BasicBlock* before = b_.GetInsertBlock();
  b_.CreateStore(begin, tree.position);
  b_.CreateStore(b_.getInt64(0), tree.depth);
  b_.CreateBr(descend);

  b_.SetInsertPoint(descend);
  llvm::PHINode* size = b_.CreatePHI(word_, 3);
  size->addIncoming(count, before);
  llvm::Value* small = b_.CreateICmpSLE(size, b_.getInt64(tree.leaf));
  b_.CreateCondBr(b_.CreateOr(small, b_.CreateICmpEQ(size, b_.getInt64(tree.block()))), leaf, split);

  b_.SetInsertPoint(split);
  llvm::Value* left_size = b_.CreateAnd(b_.CreateLShr(size, 1), ~static_cast<uint64_t>(tree.width - 1));
  llvm::Value* depth = b_.CreateLoad(word_, tree.depth);
  b_.CreateStore(b_.CreateSub(size, left_size), b_.CreateGEP(word_, tree.rights, depth));
  b_.CreateStore(b_.CreateAdd(depth, b_.getInt64(1)), tree.depth);
  size->addIncoming(left_size, split);
  b_.CreateBr(descend);

  b_.SetInsertPoint(leaf);
  llvm::Value* position = b_.CreateLoad(word_, tree.position);
  llvm::Value* leaf_sum = emit_leaf(tree, position, size);
  b_.CreateStore(b_.CreateAdd(position, size), tree.position);
  llvm::BasicBlock* leaf_end = b_.GetInsertBlock();
  b_.CreateBr(ascend);

  b_.SetInsertPoint(ascend);
  llvm::PHINode* sum = b_.CreatePHI(tree.type, 2);
  sum->addIncoming(leaf_sum, leaf_end);
  llvm::Value* above = b_.CreateSub(b_.CreateLoad(word_, tree.depth), b_.getInt64(1));
  b_.CreateCondBr(b_.CreateICmpSLT(above, b_.getInt64(0)), done, check);

  b_.SetInsertPoint(check);
  llvm::Value* right_slot = b_.CreateGEP(word_, tree.rights, above);
  llvm::Value* left_slot = b_.CreateGEP(tree.type, tree.lefts, above);
  llvm::Value* right_size = b_.CreateLoad(word_, right_slot);
  b_.CreateCondBr(b_.CreateICmpEQ(right_size, b_.getInt64(0)), join, turn);

  b_.SetInsertPoint(turn);
  b_.CreateStore(sum, left_slot);
  b_.CreateStore(b_.getInt64(0), right_slot);
  size->addIncoming(right_size, turn);
  b_.CreateBr(descend);

  b_.SetInsertPoint(join);
  b_.CreateStore(above, tree.depth);
  sum->addIncoming(combine(tree.kind, tree.dtype, b_.CreateLoad(tree.type, left_slot), sum), join);
  b_.CreateBr(ascend);

  b_.SetInsertPoint(done);
  return sum;
}

/// Computes the elements by lane loops and calls of long functions.
llvm::Value* Reductions::emit_element_calls(const Tree& tree, llvm::Value* begin, llvm::Value* count) {
  const Schedule& schedule = *tree.elements;
  std::vector<Parts> outer_slots = e_.lanes.exchange_slots(e_.lanes.make_slots(schedule, b_.getInt64(tree.block())));
  llvm::Value* outer_begin = std::exchange(w_.strip.begin, begin);
  llvm::Value* outer_end = std::exchange(w_.strip.end, b_.CreateAdd(begin, count, "", false, true));
  llvm::Value* outer_lane = w_.strip.lane;
  const Value outer_element = e_.lanes.exchange_element(kernel_.region(tree.reduction, 0).arg_values[0]);
  e_.lanes.emit_steps(schedule, schedule.steps);
  e_.lanes.exchange_element(outer_element);
  w_.strip.lane = outer_lane;
  w_.strip.end = outer_end;
  w_.strip.begin = outer_begin;
  return e_.lanes.exchange_slots(std::move(outer_slots))[*schedule.result_slot].first;
}

/// The address of the elements [begin, begin + count), which are computed into the buffer unless they are contiguous in
/// memory.
llvm::Value* Reductions::emit_elements(const Tree& tree, llvm::Value* begin, llvm::Value* count) {
  const ir::Region& region = kernel_.region(tree.reduction, 0);
  const Value element = yielded(kernel_, region)[0];
  if (tree.elements) return emit_element_calls(tree, begin, count);
  if (tree.is_plain) {
    set(region.arg_values[0], {begin});
    return e_.memory.element_address(kernel_.instructions[element].imm, kernel_.operands(element));
  }
  Loop loop = e_.control.open_loop(b_.getInt64(0), count, b_.getInt64(1), true, "element");
  set(region.arg_values[0], {b_.CreateAdd(begin, loop.index, "", false, true)});
  e_.values.emit_region(kernel_.instructions[tree.reduction].first_region);
  e_.memory.store_parts({b_.CreateGEP(tree.type, tree.buffer, loop.index)}, get(element), tree.dtype, no_buffer);
  e_.control.close_loop(loop, true);
  return tree.buffer;
}

llvm::Value* Reductions::emit_leaf(const Tree& tree, llvm::Value* begin, llvm::Value* count) {
  const auto block = [&](const char* name) { return llvm::BasicBlock::Create(context_, name, function_); };
  llvm::BasicBlock *whole = block("block"), *part = block("part"), *done = block("");
  llvm::Value* address = emit_elements(tree, begin, count);
  b_.CreateCondBr(b_.CreateICmpEQ(count, b_.getInt64(tree.block())), whole, part);
  b_.SetInsertPoint(whole);
  llvm::Value* whole_sum = emit_vector_sum(tree, address, b_.getInt64(tree.leaf), leaves_at_once);
  llvm::BasicBlock* whole_end = b_.GetInsertBlock();
  b_.CreateBr(done);

  b_.SetInsertPoint(part);
  llvm::Value* even = b_.CreateAnd(count, ~static_cast<uint64_t>(tree.width - 1));
  const Parts vector_sum{emit_vector_sum(tree, address, even, 1)};
  llvm::BasicBlock* before = b_.GetInsertBlock();
  Loop tail = e_.control.open_loop(even, count, b_.getInt64(1), false, "tail");
  const Parts sum = e_.control.make_phi(vector_sum, before);
  const Parts element = e_.memory.load_parts({b_.CreateGEP(tree.type, address, tail.index)}, tree.dtype, no_buffer);
  const Parts next{combine(tree.kind, tree.dtype, sum.first, element.first)};
  e_.control.add_incoming(sum, next, b_.GetInsertBlock());
  e_.control.close_loop(tail, false);
  e_.control.keep_rolled(tail);
  const Parts part_sum = e_.control.make_phi(vector_sum, before);
  e_.control.add_incoming(part_sum, next, tail.latch);
  llvm::BasicBlock* part_end = b_.GetInsertBlock();
  b_.CreateBr(done);

  b_.SetInsertPoint(done);
  llvm::PHINode* result = b_.CreatePHI(tree.type, 2);
  result->addIncoming(whole_sum, whole_end);
  result->addIncoming(part_sum.first, part_end);
  return result;
}

/// Reduces `leaves` consecutive runs of `count` elements, each into its own vector; then neighbours are combined until
/// one value is left.
llvm::Value* Reductions::emit_vector_sum(const Tree& tree, llvm::Value* address, llvm::Value* count, int64_t leaves) {
  auto* vector = llvm::FixedVectorType::get(tree.type, static_cast<unsigned>(tree.width));
  llvm::Value* start = llvm::ConstantVector::getSplat(vector->getElementCount(),
                                                      llvm::cast<llvm::Constant>(neutral(tree.kind, tree.dtype)));
  llvm::BasicBlock* before = b_.GetInsertBlock();
  Loop loop = e_.control.open_loop(b_.getInt64(0), count, b_.getInt64(tree.width), false, "sum");
  std::vector<Parts> sums(leaves), next(leaves);
  for (Parts& sum : sums) sum = e_.control.make_phi({start}, before);
  for (int64_t k = 0; k < leaves; ++k) {
    llvm::Value* at = b_.CreateGEP(tree.type, address, b_.CreateAdd(loop.index, b_.getInt64(k * tree.leaf)));
    llvm::Value* elements = b_.CreateAlignedLoad(vector, at, llvm::Align(part_size(tree.dtype)));
    next[k] = {combine(tree.kind, tree.dtype, sums[k].first, elements)};
    e_.control.add_incoming(sums[k], next[k], b_.GetInsertBlock());
  }
  e_.control.close_loop(loop, false);
  if (machine_.kind == Machine::Kind::host) e_.control.keep_rolled(loop);  // several chains are in flight as it is
  std::vector<llvm::Value*> ends;
  for (int64_t k = 0; k < leaves; ++k) {
    const Parts end = e_.control.make_phi({start}, before);
    e_.control.add_incoming(end, next[k], loop.latch);
    ends.push_back(end.first);
  }
  return join_neighbours(tree, ends);
}

llvm::Value* Reductions::join_neighbours(const Tree& tree, std::vector<llvm::Value*> vectors) {
  while (vectors.size() > 1) {
    std::vector<llvm::Value*> joined;
    for (size_t k = 0; k < vectors.size(); k += 2) {
      const int size = static_cast<int>(llvm::cast<llvm::FixedVectorType>(vectors[k]->getType())->getNumElements());
      llvm::SmallVector<int, 64> all;
      for (int lane = 0; lane < 2 * size; ++lane) all.push_back(lane);
      joined.push_back(b_.CreateShuffleVector(vectors[k], vectors[k + 1], all));
    }
    vectors = std::move(joined);
  }
  llvm::Value* vector = vectors[0];
  for (int size = static_cast<int>(llvm::cast<llvm::FixedVectorType>(vector->getType())->getNumElements()); size > 1;
       size /= 2) {
    llvm::SmallVector<int, 32> even, odd;
    for (int lane = 0; lane < size; lane += 2) {
      even.push_back(lane);
      odd.push_back(lane + 1);
    }
    llvm::Value* left = b_.CreateShuffleVector(vector, even);
    llvm::Value* right = b_.CreateShuffleVector(vector, odd);
    vector = combine(tree.kind, tree.dtype, left, right);
  }
  return b_.CreateExtractElement(vector, b_.getInt64(0));
}

}  // namespace tessera::codegen
