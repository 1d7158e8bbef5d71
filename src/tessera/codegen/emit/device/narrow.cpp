// Lanes of one or two bytes, packed into words. A thread computes four neighbouring lanes: their words are read at
// aligned addresses and shifted into place, so that rows of operands may begin at any byte; only results must all have
// the same offset from a word. Sums of bytes are sums of two 16-bit numbers per register, which are reduced to bytes
// when they are needed as such; divisions by a number that all lanes share are products. Other opcodes are computed
// lane by lane.
//
// This requires that no division has an event, which one test at the start finds out; otherwise lanes are computed one
// by one as in other kernels.
#include "tessera/base/error.h"
#include "tessera/codegen/emit/emitter.h"

namespace tessera::codegen {

using ir::Opcode;
using ir::Value;

/// Whether no division by a number that all lanes share can have an event.
llvm::Value* Narrow::emit_divides_quietly() {
  llvm::Value* quiet = b_.getTrue();
  for (Value divisor : shared_divisors(kernel_)) {
    llvm::Value* y = get_one(divisor);
    quiet = b_.CreateAnd(quiet, b_.CreateICmpNE(y, number(y->getType(), 0)));
    if (is_signed_integer(type_of(divisor))) quiet = b_.CreateAnd(quiet, b_.CreateICmpNE(y, number(y->getType(), -1)));
  }
  return quiet;
}

/// The byte offset of this row's results from a word's beginning; `alike` is whether it is the same for all of them.
llvm::Value* Narrow::emit_result_offset(llvm::Value* first, llvm::Value*& alike) {
  w_.axis_index.back() = first;
  llvm::Value* offset = nullptr;
  alike = b_.getTrue();
  for (Value v : kernel_.regions[0].body) {
    if (kernel_.instructions[v].op != Opcode::store) continue;
    llvm::Value* address = e_.memory.element_address(kernel_.instructions[v].imm, kernel_.operands(v).subspan(1));
    llvm::Value* own =
        b_.CreateAnd(b_.CreatePtrToInt(address, word_), static_cast<uint64_t>(group_lanes * mapping_.narrow - 1));
    if (offset)
      alike = b_.CreateAnd(alike, b_.CreateICmpEQ(own, offset));
    else
      offset = own;
  }
  return offset;
}

/// The distribution of a row's tiles to blocks.
Narrow::Tiling Narrow::emit_tiling() {
  Tiling tiling{.thread = e_.frame.special_register(GridNumber::thread_x), .threads = e_.frame.row_threads()};
  tiling.size = b_.CreateMul(tiling.threads, b_.getInt64(static_cast<uint64_t>(mapping_.unroll)));
  tiling.start = b_.CreateMul(e_.frame.special_register(GridNumber::block_x), tiling.size);
  tiling.stride = e_.frame.mark_positive(b_.CreateMul(e_.frame.special_register(GridNumber::blocks_x), tiling.size));
  return tiling;
}

/// Rows of a narrow kernel: lanes before the first whole word of results one by one, then tiles of whole words, then
/// the rest one by one.
void Narrow::emit_narrow_lanes(llvm::Value* begin, llvm::Value* size) {
  const auto block = [&](const char* name) { return llvm::BasicBlock::Create(context_, name, function_); };
  llvm::BasicBlock *by_word = block("words"), *plain = block("plain"), *done = block("");
  for (Value v : kernel_.regions[0].body)
    if (!dependence_.varies(v) && kernel_.instructions[v].op != Opcode::check) e_.values.emit_instruction(v);
  llvm::Value* alike = nullptr;
  llvm::Value* offset = emit_result_offset(begin, alike);
  b_.CreateCondBr(b_.CreateAnd(emit_divides_quietly(), alike), by_word, plain);
  b_.SetInsertPoint(plain);
  e_.grid.emit_single_lanes(begin, size);
  b_.CreateBr(done);
  b_.SetInsertPoint(by_word);
  const bool watches = std::exchange(w_.watches, false);
  e_.events.be_quiet(true);
  const auto item = static_cast<uint64_t>(mapping_.narrow), bytes = group_lanes * item;
  llvm::Value* head = b_.CreateUDiv(b_.CreateAnd(b_.CreateNeg(offset), bytes - 1), b_.getInt64(item));
  head = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, head, size);
  const Tiling tiling = emit_tiling();
  w_.in_lane = true;
  const auto emit_one_by_one = [&](llvm::Value* from, llvm::Value* to, llvm::Value* step) {
    Loop lane = e_.control.open_loop(from, to, e_.frame.mark_positive(step), false, "lane");
    w_.axis_index.back() = lane.index;
    e_.values.emit_region(0);
    e_.control.close_loop(lane, false);
  };
  // Computed by the first block's threads, of which there are more than lanes before the first word.
  llvm::Value* own = b_.CreateAdd(begin, b_.CreateAdd(tiling.start, tiling.thread));
  emit_one_by_one(own, b_.CreateAdd(begin, head), tiling.threads);
  llvm::Value* first = b_.CreateAdd(begin, head);
  llvm::Value* rest = b_.CreateSub(size, head);
  const std::vector<Run> runs = emit_runs(first);
  // Lanes whose next four are in the row, too: a group also reads the word after its own.
  llvm::Value* inner = b_.CreateSub(rest, b_.getInt64(group_lanes));
  Loop tile = e_.control.open_loop(tiling.start, rest, tiling.stride, false, "tile");
  llvm::BasicBlock *whole = block("whole"), *edge = block("edge"), *next = block("");
  llvm::Value* lane =
      b_.CreateAdd(tile.index, b_.CreateMul(tiling.thread, b_.getInt64(group_lanes), "", true, true), "", true, true);
  b_.CreateCondBr(b_.CreateICmpSLE(b_.CreateAdd(tile.index, tiling.size), inner), whole, edge);
  b_.SetInsertPoint(whole);
  emit_groups(runs, first, lane, mapping_.unroll / group_lanes);
  b_.CreateBr(next);
  b_.SetInsertPoint(edge);
  llvm::Value* groups = b_.CreateSDiv(b_.CreateSub(inner, tile.index), b_.getInt64(group_lanes));
  llvm::Value* end = b_.CreateAdd(
      tile.index,
      b_.CreateMul(b_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, groups, b_.getInt64(0)), b_.getInt64(group_lanes)));
  Loop single = e_.control.open_loop(
      lane, end, e_.frame.mark_positive(b_.CreateMul(tiling.threads, b_.getInt64(group_lanes))), false, "group");
  emit_groups(runs, first, single.index, 1);
  e_.control.close_loop(single, false);
  emit_one_by_one(b_.CreateAdd(b_.CreateAdd(first, end), tiling.thread), b_.CreateAdd(begin, size), tiling.threads);
  b_.CreateBr(next);
  b_.SetInsertPoint(next);
  e_.control.close_loop(tile, false);
  w_.in_lane = false;
  e_.events.be_quiet(false);
  w_.watches = watches;
  b_.CreateBr(done);
  b_.SetInsertPoint(done);
}

/// The address of each load's first word in this row, and its bit offset in that word.
std::vector<Narrow::Run> Narrow::emit_runs(llvm::Value* first) {
  std::vector<Run> runs(kernel_.instructions.size());
  w_.axis_index.back() = first;
  for (Value v : kernel_.regions[0].body) {
    const ir::Instruction& i = kernel_.instructions[v];
    if (!e_.grid.is_run_access(v)) continue;
    llvm::Value* address = e_.memory.element_address(i.imm, kernel_.operands(v).subspan(i.op == Opcode::store ? 1 : 0));
    if (i.op == Opcode::store) {
      runs[v].words = address;
      continue;
    }
    llvm::Value* off = b_.CreateAnd(b_.CreatePtrToInt(address, word_), 3);
    runs[v].words = b_.CreateGEP(b_.getInt8Ty(), address, b_.CreateNeg(off));
    runs[v].bits = b_.CreateShl(off, 3);
  }
  return runs;
}

/// The groups of a thread, which are spaced by the groups of a block: loads, values, then stores.
void Narrow::emit_groups(const std::vector<Run>& runs, llvm::Value* first, llvm::Value* lane, int count) {
  const auto lane_of_group = [&](int group) {
    return b_.CreateAdd(
        lane,
        b_.CreateMul(e_.frame.row_threads(), b_.getInt64(static_cast<uint64_t>(group * group_lanes)), "", true, true),
        "", true, true);
  };
  std::vector<std::vector<Group>> groups(static_cast<size_t>(count), std::vector<Group>(kernel_.instructions.size()));
  for (int g = 0; g < count; ++g)
    for (Value v : kernel_.regions[0].body)
      if (kernel_.instructions[v].op == Opcode::load && e_.grid.is_run_access(v))
        groups[g][v] = load_group(runs[v], v, lane_of_group(g));
  for (int g = 0; g < count; ++g) {
    group_first_ = b_.CreateAdd(first, lane_of_group(g));
    for (Value v : kernel_.regions[0].body) emit_group_value(groups[g], v);
  }
  for (int g = 0; g < count; ++g) {
    for (Value v : kernel_.regions[0].body)
      if (kernel_.instructions[v].op == Opcode::store) store_group(runs[v], groups[g], v, lane_of_group(g));
  }
}

llvm::Value* Narrow::permute(llvm::Value* a, llvm::Value* b, uint32_t selector) {
  return device::permute_bytes(b_, a, b, selector);
}

Narrow::Group Narrow::load_group(const Run& run, Value v, llvm::Value* lane) {
  const auto buffer = static_cast<int>(kernel_.instructions[v].imm);
  llvm::Value* offset = b_.CreateMul(lane, b_.getInt64(static_cast<uint64_t>(mapping_.narrow)), "", true, true);
  llvm::Value* begin = b_.CreateGEP(b_.getInt8Ty(), run.words, offset);
  const auto load = [&](int k) {
    llvm::Value* address = b_.CreateConstGEP1_64(b_.getInt8Ty(), begin, static_cast<uint64_t>(4 * k));
    llvm::LoadInst* word = b_.CreateAlignedLoad(b_.getInt32Ty(), address, llvm::Align(4));
    e_.memory.mark_access(word, buffer);
    if (e_.memory.is_constant(static_cast<size_t>(buffer)))
      word->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(context_, {}));
    return static_cast<llvm::Value*>(word);
  };
  std::vector<llvm::Value*> words;
  for (int k = 0; k <= mapping_.narrow; ++k) words.push_back(load(k));
  Group group;
  for (int k = 0; k < mapping_.narrow; ++k) {
    llvm::Value* both =
        b_.CreateOr(b_.CreateZExt(words[k], word_), b_.CreateShl(b_.CreateZExt(words[k + 1], word_), 32));
    group.words[k] = b_.CreateTrunc(b_.CreateLShr(both, run.bits), b_.getInt32Ty());
  }
  return group;
}

void Narrow::store_group(const Run& run, std::vector<Group>& values, Value v, llvm::Value* lane) {
  const Value stored = kernel_.operands(v)[0];
  const auto buffer = static_cast<int>(kernel_.instructions[v].imm);
  Group splat;
  Group& group = dependence_.varies(stored) ? values[stored] : splat;
  if (!dependence_.varies(stored)) splat.lanes.fill(get(stored).first);
  make_words(group);
  llvm::Value* offset = b_.CreateMul(lane, b_.getInt64(static_cast<uint64_t>(mapping_.narrow)), "", true, true);
  llvm::Value* address = b_.CreateGEP(b_.getInt8Ty(), run.words, offset);
  for (int k = 0; k < mapping_.narrow; ++k) {
    llvm::Value* place = b_.CreateConstGEP1_64(b_.getInt8Ty(), address, static_cast<uint64_t>(4 * k));
    e_.memory.mark_access(b_.CreateAlignedStore(group.words[k], place,
                                                llvm::Align(k == 0 ? static_cast<uint64_t>(4 * mapping_.narrow) : 4)),
                          buffer);
  }
}

}  // namespace tessera::codegen
