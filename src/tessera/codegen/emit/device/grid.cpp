// The frame of a device kernel: rows and lanes are traversed with the grid as stride. Control flow stays inside lanes,
// values are in registers, and shared arrays and barriers are those of the hardware.
#include "tessera/base/error.h"
#include "tessera/codegen/address_spaces.h"
#include "tessera/codegen/device_parameters.h"
#include "tessera/codegen/emit/emitter.h"

#include <algorithm>

namespace tessera::codegen {

namespace {

/// The most threads of a block of a kernel without teams; registers are allotted for this number.
constexpr int threads_a_block = 256;

bool has_shared_arrays(const ir::Kernel& kernel) {
  for (const ir::ArrayDecl& array : kernel.arrays)
    if (array.shared) return true;
  return false;
}

}  // namespace

llvm::Function* Grid::make_function(const char* name) {
  const DeviceParameters parameters(kernel_);
  const bool is_by_value = parameters.by_value() && !w_.is_callable;
  llvm::Type* block =
      parameters.by_value() || w_.is_callable ? static_cast<llvm::Type*>(b_.getPtrTy()) : e_.frame.data_pointer();
  auto* type = llvm::FunctionType::get(b_.getVoidTy(), {block}, false);
  llvm::Function* function = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, name, module_);
  if (!w_.is_callable) function->setCallingConv(llvm::CallingConv::PTX_Kernel);
  function->addFnAttr(llvm::Attribute::Convergent);
  if (kernel_.fast_math) function->addFnAttr("denormal-fp-math-f32", "preserve-sign");
  if (is_by_value) {
    int64_t size = mapping_.epilogue.kernels.empty() ? parameters.size : parameters.epilogue();
    for (const auto& epilogue : mapping_.epilogue.kernels) size += DeviceParameters(*epilogue).size;
    auto* bytes = llvm::ArrayType::get(b_.getInt8Ty(), static_cast<uint64_t>(size));
    function->addParamAttr(0, llvm::Attribute::getWithByValType(context_, bytes));
    function->addParamAttr(0, llvm::Attribute::getWithAlignment(context_, llvm::Align(8)));
  }
  const int threads = mapping_.exact_grid           ? mapping_.threads
                      : mapping_.team > 32          ? mapping_.team
                      : !has_shared_arrays(kernel_) ? threads_a_block
                      : mapping_.threads > 0        ? mapping_.threads
                                                    : 1024;
  if (w_.is_callable) return function;
  const auto limit = [&](device::Limit of, int value) { device::set_limit(*function, of, value); };
  limit(device::Limit::threads, threads);
  const ir::DeviceOptions& options = kernel_.device;
  const int most_registers = options.max_registers > 0 ? options.max_registers : mapping_.registers;
  if (most_registers > 0) limit(device::Limit::registers, most_registers);
  if (options.min_blocks > 0) limit(device::Limit::blocks, options.min_blocks);
  if (options.max_cluster > 0 && mapping_.capability >= 90) limit(device::Limit::cluster, options.max_cluster);
  if (mapping_.exact_grid || options.min_blocks > 0) return function;
  // Code that seldom runs, such as finding events, must not reduce occupancy by its registers.
  // Kernels in which few threads each reduce alone depend on their loads in flight for throughput.
  bool reductions = false;
  for (ir::Value v = 0; v < kernel_.instructions.size(); ++v)
    reductions |= kernel_.instructions[v].op == ir::Opcode::reduce || e_.reductions.reads_complex_runs(v);
  const auto loads = std::count_if(kernel_.instructions.begin(), kernel_.instructions.end(),
                                   [](const ir::Instruction& i) { return i.op == ir::Opcode::load; });
  constexpr int64_t many_loads = 8;  // depend on loads in flight, too
  if (mapping_.team == 1 && threads == threads_a_block && !has_shared_arrays(kernel_)) {
    const bool needs_registers = mapping_.narrow || loads > many_loads;
    limit(device::Limit::blocks, reductions && mapping_.slices == 1 ? 1 : needs_registers ? 2 : 4);
  }
  // Threads wait for each other at barriers: other blocks must have room to run meanwhile. Without the annotation the
  // PTX assembler stops at 40 registers, too few for the loads of a team.
  constexpr int enough_threads = 768, enough_in_teams = 1024;
  const bool has_wide_sums = std::ranges::any_of(
      find_complex_reductions(kernel_), [&](const auto& combine) { return type_of(combine.first) == DType::float64; });
  if (mapping_.team > 32)
    limit(device::Limit::blocks, std::max(1, enough_in_teams / (has_wide_sums ? 2 : 1) / mapping_.team));
  if (has_shared_arrays(kernel_) && mapping_.threads >= 128)
    limit(device::Limit::blocks, std::max(1, enough_threads / mapping_.threads));
  return function;
}

llvm::Function* Grid::emit_kernel(const char* name, const DeviceMapping& mapping) {
  mapping_ = mapping;
  w_.rolls_loops = mapping.fast_compile;
  // The fast-compile variant needs a body without control flow other than reductions; for other kernels only loops stay
  // rolled.
  mapping_.fast_compile =
      mapping.fast_compile && kernel_.ndim > 0 && is_replayable(kernel_.regions[0].body) && kernel_.arrays.empty();
  const bool is_plain = kernel_.ndim > 0 && kernel_.arrays.empty() && is_replayable(kernel_.regions[0].body);
  machine_.divides_long_by_floats = is_plain || mapping.mapped;
  // In users' kernels a NaN has the sign that the machine gives it.
  machine_.keeps_nan_signs = !mapping.exact_grid || mapping.mapped;
  w_.watches = !mapping_.fast_compile && kernel_.flag_slots > 0 && is_plain;
  llvm::Function* function = make_function(name);
  e_.frame.open_function(function);
  e_.calls.emit_functions();
  emit_body();
  if (!mapping_.epilogue.kernels.empty()) emit_last_block(mapping_.epilogue);
  b_.CreateRetVoid();
  return function;
}

void Grid::emit_body() {
  llvm::Function* function = function_;
  e_.reductions.find_complex();
  llvm::BasicBlock* start = llvm::BasicBlock::Create(context_, "start", function);
  b_.CreateBr(start);
  b_.SetInsertPoint(start);
  e_.frame.open_level();
  if (mapping_.exact_grid) return emit_exact_grid();
  e_.events.open_flags();
  const DeviceParameters parameters(kernel_);
  const auto word = [&](int64_t offset) -> llvm::Value* {
    return b_.CreateLoad(word_, b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), function->getArg(0), offset));
  };
  llvm::Value* rows = b_.getInt64(1);
  const int row_axes = kernel_.ndim - 1;
  std::vector<llvm::Value*> begin, size;
  for (int axis = 0; axis < kernel_.ndim; ++axis) {
    begin.push_back(word(parameters.begin + 8 * axis));
    size.push_back(b_.CreateSub(word(parameters.end + 8 * axis), begin.back()));
    if (axis < row_axes) rows = b_.CreateMul(rows, size.back());
  }
  const auto emit_lanes = [&] {
    for (int axis = 0; axis < row_axes; ++axis) e_.frame.open_level();
    emit_row(kernel_.ndim ? begin.back() : b_.getInt64(0), kernel_.ndim ? size.back() : b_.getInt64(1));
  };
  if (row_axes < 1) {
    emit_lanes();
  } else {
    llvm::Value* first = e_.frame.special_register(GridNumber::block_y);
    llvm::Value* stride = e_.frame.special_register(GridNumber::blocks_y);
    if (mapping_.team == 1 && mapping_.slices == 1) {
      llvm::Value* threads = e_.frame.special_register(GridNumber::threads_y);
      first = b_.CreateAdd(b_.CreateMul(first, threads), e_.frame.special_register(GridNumber::thread_y));
      stride = b_.CreateMul(stride, threads);
    }
    Loop row = e_.control.open_loop(first, rows, e_.frame.mark_positive(stride), false, "row");
    llvm::Value* rest = row.index;
    for (int axis = row_axes - 1; axis > 0; --axis) {
      w_.axis_index[axis] = b_.CreateAdd(begin[axis], b_.CreateURem(rest, size[axis]));
      rest = b_.CreateUDiv(rest, size[axis]);
    }
    w_.axis_index[0] = b_.CreateAdd(begin[0], rest);
    emit_lanes();
    e_.control.close_loop(row, false);
  }
  if (!w_.watches) e_.events.close_flags();
}

void Grid::emit_row(llvm::Value* begin, llvm::Value* size) {
  if (mapping_.double_buffered || !e_.reductions.may_read_whole()) return emit_lanes_by_mapping(begin, size);
  const auto block = [&](const char* name) { return llvm::BasicBlock::Create(context_, name, function_); };
  llvm::BasicBlock *whole = block("whole"), *apart = block("apart"), *done = block("");
  b_.CreateCondBr(e_.reductions.emit_is_whole(), whole, apart);
  b_.SetInsertPoint(whole);
  e_.memory.read_whole(true);
  emit_lanes_by_mapping(begin, size);
  e_.memory.read_whole(false);
  b_.CreateBr(done);
  b_.SetInsertPoint(apart);
  emit_lanes_apart(begin, size);
  b_.CreateBr(done);
  b_.SetInsertPoint(done);
}

void Grid::emit_lanes_by_mapping(llvm::Value* begin, llvm::Value* size) {
  if (mapping_.team > 1) return emit_team_lanes(begin, size);
  if (mapping_.slices > 1) return emit_sliced_lanes(begin, size);
  if (mapping_.narrow) return e_.narrow.emit_narrow_lanes(begin, size);
  emit_single_lanes(begin, size);
}

void Grid::emit_single_lanes(llvm::Value* begin, llvm::Value* size) {
  llvm::Value* thread = e_.frame.special_register(GridNumber::thread_x);
  llvm::Value* block = e_.frame.special_register(GridNumber::block_x);
  llvm::Value* threads = e_.frame.row_threads();
  llvm::Value* blocks = e_.frame.special_register(GridNumber::blocks_x);
  Loop lane = e_.control.open_loop(b_.CreateAdd(b_.CreateMul(block, threads), thread), size,
                                   e_.frame.mark_positive(b_.CreateMul(threads, blocks)), false, "lane");
  w_.in_lane = true;
  w_.strip.size = b_.getInt64(1);
  w_.strip.lane = w_.strip.begin = b_.CreateAdd(lane.index, begin);
  e_.arrays.make_arrays();
  emit_lane(w_.strip.lane);
  // The next row of this block must not overwrite what slower threads still read.
  if (has_shared_arrays(kernel_)) e_.meetings.emit_barrier();
  e_.control.close_loop(lane, false);
  w_.in_lane = false;
}

/// Every thread of a team computes the whole lane, except for the reductions they share; one of them stores.
void Grid::emit_team_lanes(llvm::Value* begin, llvm::Value* size) {
  invariant(kernel_.arrays.empty(), "codegen: a team for a kernel with arrays");
  if (mapping_.double_buffered) return e_.teams.emit_double_buffered_lanes(begin, size);
  llvm::Value* place = e_.frame.special_register(GridNumber::thread_y);
  llvm::Value* block = e_.frame.special_register(GridNumber::block_x);
  llvm::Value* places = e_.frame.special_register(GridNumber::threads_y);
  llvm::Value* blocks = e_.frame.special_register(GridNumber::blocks_x);
  Loop lane = e_.control.open_loop(b_.CreateAdd(b_.CreateMul(block, places), place), size,
                                   e_.frame.mark_positive(b_.CreateMul(places, blocks)), false, "lane");
  w_.in_lane = true;
  w_.leader = b_.CreateICmpEQ(e_.frame.special_register(GridNumber::thread_x), b_.getInt64(0));
  emit_lane(b_.CreateAdd(lane.index, begin));
  e_.control.close_loop(lane, false);
  w_.in_lane = false;
}

/// Threads along x compute neighbouring lanes, threads along y slices of their reductions. Threads beyond the last lane
/// compute that lane as well, because they must reach the barriers.
void Grid::emit_sliced_lanes(llvm::Value* begin, llvm::Value* size) {
  invariant(kernel_.arrays.empty() && mapping_.threads > 0, "codegen: sliced reductions for a kernel with arrays");
  llvm::Value* threads = e_.frame.row_threads();
  llvm::Value* start = b_.CreateMul(e_.frame.special_register(GridNumber::block_x), threads);
  llvm::Value* stride = b_.CreateMul(e_.frame.special_register(GridNumber::blocks_x), threads);
  Loop tile = e_.control.open_loop(start, size, e_.frame.mark_positive(stride), false, "tile");
  w_.in_lane = true;
  llvm::Value* lane = b_.CreateAdd(tile.index, e_.frame.special_register(GridNumber::thread_x));
  llvm::Value* is_first = b_.CreateICmpEQ(e_.frame.special_register(GridNumber::thread_y), b_.getInt64(0));
  w_.leader = b_.CreateAnd(is_first, b_.CreateICmpSLT(lane, size));
  lane = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, lane, b_.CreateSub(size, b_.getInt64(1)));
  emit_lane(b_.CreateAdd(lane, begin));
  e_.control.close_loop(tile, false);
  w_.in_lane = false;
}

void Grid::emit_lane(llvm::Value* index) {
  if (mapping_.fast_compile) return e_.fast_compile.emit_fast_compile_lane(index);
  if (w_.watches) return emit_watched_lane(index);
  if (kernel_.ndim > 0) w_.axis_index.back() = index;
  e_.values.emit_region(0);
}

/// The lanes where elements are not aligned so, which is rare: in the fast-compile variant, so that they take no
/// registers from the main path.
void Grid::emit_lanes_apart(llvm::Value* begin, llvm::Value* size) {
  const bool watches = std::exchange(w_.watches, false);
  if (watches) e_.events.clear_flags();
  mapping_.fast_compile = true;
  emit_lanes_by_mapping(begin, size);
  mapping_.fast_compile = false;
  if (watches) e_.events.close_flags();
  w_.watches = watches;
}

}  // namespace tessera::codegen
