#include "tessera/mapping/tiles/map_tiles.h"

#include <algorithm>
#include <bit>

#include "tessera/ir/opcode.h"
#include "tessera/mapping/grid_builder.h"
#include "tessera/mapping/lane.h"
#include "tessera/mapping/lane_cost.h"

namespace tessera::mapping {

using ir::Opcode;
using ir::Value;

namespace {

/// The numbers by which lanes are dealt out, measured on an H200 by bench/gpu.md's kernels.
struct TileLimits {
  /// Blocks, a few per multiprocessor: with fewer, threads take less each.
  static constexpr int64_t enough_blocks = 512;
  /// Tiles of a thread, and blocks from which on there are several: in one row, and in many.
  static constexpr int64_t most_tiles = 16, many_blocks = 16384, many_blocks_of_rows = 4096;
  /// Blocks along x, and rows.
  static constexpr int64_t most_blocks = int64_t{1} << 30, most_rows = int64_t{1} << 31;
};

/// Lanes of a row, and how many rows there are.
struct Rows {
  int64_t lanes = 1, rows = 1;
  bool are_many = false;  // there are axes beside that of the lanes
};

Rows rows_of(const Dims& extents, bool flat) {
  Rows of;
  const size_t lane_axes = flat ? 2 : 1;
  for (size_t axis = 0; axis < extents.size(); ++axis)
    (axis + lane_axes < extents.size() ? of.rows : of.lanes) *= extents[axis];
  of.are_many = extents.size() > lane_axes;
  return of;
}

/// Neighbouring lanes that a thread takes together: as many as fill 16 bytes of the widest type, and at least four
/// bytes of the narrowest. Lanes of eight bytes fill a warp's accesses as they are, whatever other operands have. Both
/// parts of a complex number are loaded together in aligned runs.
int choose_width(const ir::Kernel& kernel) {
  int64_t widest = 0, narrowest = 16;
  bool has_parts = false;
  for (const ir::BufferParam& buffer : kernel.buffers) {
    if (buffer.inner != ir::InnerStride::contiguous) continue;
    has_parts |= is_complex(buffer.dtype);
    widest = std::max<int64_t>(widest, itemsize(buffer.dtype));
    narrowest = std::min<int64_t>(narrowest, itemsize(buffer.dtype));
  }
  if (widest == 0 || (widest >= 8 && !has_parts)) return 1;
  return static_cast<int>(std::max({16 / widest, std::min<int64_t>(4, 4 / narrowest), has_parts ? int64_t{2} : 1}));
}

/// Chooses how many lanes a thread takes at once.
void choose_unroll(const ir::Kernel& kernel, const Operands& operands, const Target& target, Tiling& tiling) {
  const auto is_load = [&](Value v) { return kernel.instructions[v].op == Opcode::load; };
  const auto loads = std::ranges::count_if(kernel.regions[0].body, is_load);
  const Rows of = rows_of(operands.extents, tiling.flat > 0);
  const bool is_stencil = loads > 3 && of.are_many;
  const int cost = lane_cost(kernel), width = tiling.flat ? 1 : choose_width(kernel);
  const int most = cost <= 16 ? 16 : cost <= 24 ? 8 : cost <= 40 ? 4 : cost <= (is_stencil ? 120 : 80) ? 2 : 1;
  // Two runs of 16 bytes per thread keep enough bytes in flight; more would leave threads idle in narrow rows.
  // Stencils, whose loads mostly hit the L1 cache, take twice as many.
  tiling.unroll = std::min(most, std::max(2 * width, is_stencil ? 8 : 4));
  const int64_t threads_a_row = of.are_many ? target.warp : target.threads;
  while (tiling.unroll > 1 && of.lanes < threads_a_row * tiling.unroll) tiling.unroll /= 2;
  tiling.width = std::min(width, tiling.unroll);
}

/// Chooses the threads of a block and the tiles of a thread.
void choose_block(const Operands& operands, const Target& target, Tiling& tiling) {
  const auto [lanes, rows, are_many] = rows_of(operands.extents, tiling.flat > 0);
  int64_t x = are_many ? target.warp : target.threads;
  // Several rows per block: elements that rows share, as in stencils, are then in the L1 cache.
  const auto rows_in_block = [&] {
    return std::max<int64_t>(
        1, std::min(target.threads / x, static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(rows)))));
  };
  while (x < target.threads && x * rows_in_block() < target.threads && x * tiling.unroll < lanes) x *= 2;
  while (x > 1 && x / 2 >= lanes) x /= 2;
  tiling.rows = are_many ? rows_in_block() : 1;
  // With few, expensive lanes, use all multiprocessors.
  while (tiling.rows == 1 && x > 32 && rows * lanes < x * tiling.unroll * TileLimits::enough_blocks) x /= 2;
  tiling.threads = x;
  // Threads that take few lanes at a time have much work per lane, some of it shared by all lanes: they take several.
  const int64_t blocks = over(lanes, x * tiling.unroll);
  if (are_many && tiling.unroll <= 2)
    tiling.tiles =
        std::clamp<int64_t>(blocks * (rows / tiling.rows) / TileLimits::many_blocks_of_rows, 1, TileLimits::most_tiles);
  else if (tiling.unroll == 1)
    tiling.tiles = std::clamp<int64_t>(over(blocks, TileLimits::many_blocks), 1, TileLimits::most_tiles);
}

}  // namespace

std::optional<Mapped> map_tiles(const ir::Kernel& kernel, const Operands& operands, const Target& target) {
  const Dims& extents = operands.extents;
  if (operands.in_words || !is_straight(kernel) || std::ranges::any_of(extents, [](int64_t n) { return n < 1; }))
    return {};
  // Rows shorter than a warp are one run of lanes.
  const bool is_flat = kernel.ndim > 1 && extents.back() > 1 && extents.back() < target.warp &&
                       rows_of(extents, true).lanes < int64_t{1} << 31;
  Tiling tiling{.flat = is_flat ? extents.back() : 0};
  const Rows of = rows_of(extents, is_flat);
  if (of.rows >= TileLimits::most_rows || of.lanes >= TileLimits::most_blocks * target.threads) return {};
  choose_unroll(kernel, operands, target, tiling);
  choose_block(operands, target, tiling);
  return write_tiles(kernel, operands, target, tiling);
}

}  // namespace tessera::mapping
