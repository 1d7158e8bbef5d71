#include "tessera/engine/device/launch_form.h"

#include <algorithm>

#include "tessera/lanes/schedule/narrow.h"

namespace tessera::engine {

using codegen::DeviceForm;
using ir::Opcode;
using ir::Value;

namespace {

constexpr int64_t threads_a_block = 256;
constexpr int64_t most_rows = 65535;  // blocks along y
constexpr int64_t enough_blocks = 512;  // a few for each multiprocessor
constexpr int64_t most_blocks = int64_t{1} << 30;

/// Rows that a block of x threads along the lanes takes at once.
int64_t rows_in_block(int64_t x, int64_t rows) { return std::max<int64_t>(1, std::min(threads_a_block / x, rows)); }

struct Body {
  int cost = 0;             // about how many instructions a lane takes
  int loads = 0;
  bool is_straight = true;  // no control flow, and lanes may be taken in any order
  bool has_division = false;  // Python's, of integers or floats
  bool has_fold = false;
  bool has_ordered_fold = false;
  bool folds_any_order = true;
  bool can_share = true;    // a team may compute it
};

bool is_math(Opcode op) { return (op >= Opcode::cbrt && op <= Opcode::lgamma) || op == Opcode::pow || op == Opcode::atan2; }

Body look_at(const ir::Kernel& kernel) {
  Body body;
  for (size_t r = 0; r < kernel.regions.size(); ++r) {
    for (Value v : kernel.regions[r].body) {
      const ir::Instruction& i = kernel.instructions[v];
      body.cost += is_math(i.op) ? 24 : i.op == Opcode::div || i.op == Opcode::floor_div ? 12 : i.op == Opcode::check ? 0 : 1;
      body.loads += i.op == Opcode::load;
      body.has_division |= i.op == Opcode::floor_div || i.op == Opcode::floor_mod;
      const bool shares_memory = i.op == Opcode::barrier || i.op == Opcode::warp_barrier || i.op == Opcode::ballot || i.op == Opcode::match_byte || i.op == Opcode::atomic || i.op == Opcode::atomic_array ||
                                 i.op == Opcode::load_array || i.op == Opcode::store_array;
      const bool reads_results = i.op == Opcode::load && kernel.buffers[i.imm].writable;
      if (shares_memory || reads_results) body.is_straight = body.can_share = false;
      if (i.region_count) body.is_straight = false;
      if (i.op != Opcode::reduce) continue;
      body.has_fold = true;
      const ir::ReduceKind kind = ir::reduce_kind(i.attr);
      const bool order_matters = is_floating(i.type) && (kind == ir::ReduceKind::add || kind == ir::ReduceKind::mul);
      body.folds_any_order &= !order_matters;
      body.has_ordered_fold |= order_matters && ir::reduce_order(i.attr) == ir::ReduceOrder::sequential;
    }
  }
  body.can_share = body.can_share && kernel.arrays.empty();
  return body;
}

/// Whether folding along neighbouring elements, so that the threads of a team read neighbours.
bool folds_neighbours(const ir::Kernel& kernel) {
  for (size_t r = 1; r < kernel.regions.size(); ++r) {
    for (Value v : kernel.regions[r].body) {
      const ir::Instruction& i = kernel.instructions[v];
      if (i.op != Opcode::load) continue;
      const Value last = kernel.operands(v).back();
      if (kernel.instructions[last].op == Opcode::region_arg) return true;
    }
  }
  return false;
}

/// Neighbouring lanes a thread takes together: as many as fill 16 bytes of the widest type, at least four bytes of the
/// narrowest.
int choose_width(const ir::Kernel& kernel) {
  int64_t widest = 0, narrowest = 16;
  bool has_parts = false;
  for (const ir::BufferParam& buffer : kernel.buffers) {
    if (buffer.inner != ir::InnerStride::contiguous) continue;
    has_parts |= is_complex(buffer.dtype);
    widest = std::max<int64_t>(widest, itemsize(buffer.dtype));
    narrowest = std::min<int64_t>(narrowest, itemsize(buffer.dtype));
  }
  // Lanes of eight bytes fill a warp's accesses as they are. Both parts of a complex number go together in aligned runs.
  if (widest == 0 || (narrowest >= 8 && !has_parts)) return 1;
  return static_cast<int>(std::max({16 / widest, std::min<int64_t>(4, 4 / narrowest), has_parts ? int64_t{2} : 1}));
}

/// Whether a block's threads should share the folds of 32 neighbouring lanes.
bool takes_slices(const Body& body, const ir::Kernel& kernel, const Dims& extents, int64_t work) {
  if (!body.has_fold || !body.folds_any_order || !body.can_share || extents.empty() || extents.back() < 16) return false;
  int64_t lanes = 1;
  for (int64_t extent : extents) lanes *= extent;
  return work / std::max<int64_t>(1, lanes) >= 64 && lanes < 1 << 18 && !folds_neighbours(kernel);
}

bool shares_folds(const Body& body) { return body.has_fold && !body.has_ordered_fold && body.can_share; }

int choose_team(const Body& body, const ir::Kernel& kernel, const Dims& extents, int64_t work) {
  if (!shares_folds(body)) return 1;
  int64_t lanes = 1;
  for (int64_t extent : extents) lanes *= extent;
  const int64_t length = lanes ? work / lanes : 0;
  if (length < 32) return 1;
  // Threads of neighbouring lanes read neighbours when the fold goes along another axis.
  if (!folds_neighbours(kernel)) return lanes >= 4096 ? 1 : 512;
  if (length <= 256) return lanes >= 1 << 14 ? 1 : 32;
  if (length <= 2048) return 64;
  return lanes >= 1024 ? 128 : 512;
}

/// The axis an operand is read along in runs, when it is not that of the lanes; else -1.
int crossed_axis(const ir::BufferParam& buffer, const plan::Binding& binding, const Dims& extents) {
  constexpr int64_t square = 32;
  const int lanes = static_cast<int>(extents.size()) - 1;
  if (lanes < 1 || buffer.writable || binding.strides.size() != extents.size()) return -1;
  const int64_t along = std::abs(binding.strides[lanes]), item = itemsize(buffer.dtype);
  if (along < square || extents[lanes] < square / 2) return -1;
  for (int axis = 0; axis < lanes; ++axis)
    if (std::abs(binding.strides[axis]) == item && extents[axis] >= square / 2) return axis;
  return -1;
}

}  // namespace

Operands look_at_operands(const plan::KernelStep& step) {
  constexpr int64_t most_bytes = 32;  // of all squares' elements: a block's shared memory is 48 KB
  Operands operands{.disjoint = true};
  int64_t bytes = 0;
  for (size_t w = 0; w < step.buffers.size(); ++w)
    for (size_t r = 0; r < step.buffers.size() && step.kernel->buffers[w].writable; ++r)
      operands.disjoint &= r == w || step.buffers[r].slot != step.buffers[w].slot;
  for (size_t k = 0; k < step.buffers.size() && k < 32; ++k) {
    const int axis = crossed_axis(step.kernel->buffers[k], step.buffers[k], step.extents);
    const int64_t item = itemsize(step.kernel->buffers[k].dtype);
    if (axis < 0 || (operands.crossed && axis != operands.cross_axis) || bytes + item > most_bytes) continue;
    operands.cross_axis = axis;
    operands.crossed |= 1u << k;
    bytes += item;
  }
  return operands;
}

DeviceForm choose_form(const ir::Kernel& kernel, const Dims& extents, int64_t work, int capability, const Operands& operands) {
  DeviceForm form{.capability = capability, .disjoint = operands.disjoint};
  const Body body = look_at(kernel);
  if (takes_slices(body, kernel, extents, work)) {
    form.slices = 8;
    form.threads = 32;
    return form;
  }
  form.team = choose_team(body, kernel, extents, work);
  if (!body.is_straight || extents.empty()) return form;
  if (operands.crossed) {
    form.crossed = operands.crossed;
    form.cross_axis = operands.cross_axis;
    return form;
  }
  if (const int size = lanes::narrow_size(kernel); size && (extents.size() > 1 || body.loads > 2 || body.has_division)) {
    form.narrow = size;
    form.copies = 32;
    while (form.copies > 4 && extents.back() < 32 * form.copies) form.copies /= 2;
    form.threads = static_cast<int>(choose_grid(form, extents).threads[0]);
    return form;
  }
  const int most = body.cost <= 16 ? 16 : body.cost <= 24 ? 8 : body.cost <= 40 ? 4 : body.cost <= 80 ? 2 : 1;
  const int width = choose_width(kernel);
  // Two runs of 16 bytes a thread keep enough bytes in flight; narrow rows would leave the threads of a tile idle.
  // Stencils, whose loads mostly hit the first cache, take twice as many.
  int copies = std::min(most, std::max(2 * width, body.loads > 3 && extents.size() > 1 ? 8 : 4));
  const int64_t threads_a_row = extents.size() > 1 ? 32 : threads_a_block;
  while (copies > 1 && extents.back() < threads_a_row * copies) copies /= 2;
  form.copies = copies;
  form.width = std::min(width, copies);
  if (copies > 1) form.threads = static_cast<int>(choose_grid(form, extents).threads[0]);
  return form;
}

bool can_share_folds(const ir::Kernel& kernel) { return shares_folds(look_at(kernel)); }

bool has_lean_form(const ir::Kernel& kernel) { return kernel.ndim > 0 && look_at(kernel).is_straight; }

int lane_cost(const ir::Kernel& kernel) { return look_at(kernel).cost; }

runtime::Grid choose_grid(const DeviceForm& form, const Dims& extents) {
  const int64_t lanes = extents.empty() ? 1 : extents.back();
  int64_t rows = 1;
  for (size_t axis = 0; axis + 1 < extents.size(); ++axis) rows *= extents[axis];
  int64_t x = 0, y = 1, blocks_x = 0;
  if (form.crossed) {
    constexpr int64_t side = 32;
    rows = rows / extents[form.cross_axis] * ((extents[form.cross_axis] + side - 1) / side);
    const int64_t columns = (lanes + side - 1) / side;
    return {.blocks = {static_cast<uint32_t>(columns), static_cast<uint32_t>(std::min(most_rows, rows)), 1}, .threads = {32, 8, 1}};
  }
  if (form.slices > 1) {
    x = form.threads;
    y = form.slices;
    blocks_x = (lanes + x - 1) / x;
  } else if (form.team > 1) {
    x = form.team;
    if (form.team == 32) y = std::min<int64_t>(8, lanes);
    blocks_x = (lanes + y - 1) / y;
  } else {
    // Several rows a block: what one row reads of another, as stencils do, is then in the first cache.
    x = extents.size() > 1 ? 32 : threads_a_block;
    while (x < threads_a_block && x * rows_in_block(x, rows) < threads_a_block && x * form.copies < lanes) x *= 2;
    while (x > 1 && x / 2 >= lanes) x /= 2;
    if (extents.size() > 1) y = rows_in_block(x, rows);
    // Few lanes that each take long want all multiprocessors.
    while (y == 1 && x > 32 && rows * lanes < x * form.copies * enough_blocks) x /= 2;
    blocks_x = (lanes + x * form.copies - 1) / (x * form.copies);
    // Threads that take one lane at a time have much to do for it, some of it for all lanes alike.
    constexpr int64_t most_turns = 16, many_blocks = 16384;
    // So have those of narrow rows, whose every operand begins at a byte of its own.
    if (form.narrow) blocks_x = std::max(std::min(blocks_x, enough_blocks * 8 / rows + 1), (blocks_x + 4) / 5);
    if (form.copies == 1) blocks_x = std::min(blocks_x, std::max(many_blocks, (blocks_x + most_turns - 1) / most_turns));
  }
  const int64_t rows_a_block = form.team > 1 || form.slices > 1 ? 1 : y;
  runtime::Grid grid;
  grid.threads = {static_cast<uint32_t>(x), static_cast<uint32_t>(y), 1};
  grid.blocks = {static_cast<uint32_t>(std::min(blocks_x, most_blocks)),
                 static_cast<uint32_t>(std::min(most_rows, (rows + rows_a_block - 1) / rows_a_block)), 1};
  return grid;
}

}  // namespace tessera::engine
