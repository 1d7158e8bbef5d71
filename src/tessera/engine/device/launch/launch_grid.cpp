// How many blocks and threads a mapping needs for a box of lanes.
#include <algorithm>

#include "tessera/engine/device/launch/device_mapping.h"
#include "tessera/engine/device/launch/limits.h"

namespace tessera::engine {

using codegen::DeviceMapping;

namespace {

int64_t over(int64_t x, int64_t y) { return (x + y - 1) / y; }

uint32_t blocks_of_rows(int64_t rows) { return static_cast<uint32_t>(std::min(GridLimits::most_rows, rows)); }

/// Double-buffered blocks per multiprocessor, of which two run at once: with many lanes there are more, because blocks
/// end at different times and others replace them.
int64_t double_buffered_blocks(const DeviceMapping& mapping, int64_t lanes, int multiprocessors) {
  const int64_t waves =
      lanes / (GridLimits::double_buffered_at_once * GridLimits::double_buffered_lanes * multiprocessors);
  return waves > 1 ? GridLimits::double_buffered_at_once * waves : mapping.double_buffered;
}

/// Rows that a block of x threads along the lanes takes at once.
int64_t rows_in_block(int64_t x, int64_t rows) { return std::max<int64_t>(1, std::min(threads_a_block / x, rows)); }

}  // namespace

runtime::Grid choose_grid(const DeviceMapping& mapping, const Dims& extents, int multiprocessors) {
  const int64_t lanes = extents.empty() ? 1 : extents.back();
  int64_t rows = 1;
  for (size_t axis = 0; axis + 1 < extents.size(); ++axis) rows *= extents[axis];
  int64_t x = 0, y = 1, blocks_x = 0;
  if (mapping.slices > 1) {
    x = mapping.threads;
    y = mapping.slices;
    blocks_x = over(lanes, x);
  } else if (mapping.team > 1) {
    x = mapping.team;
    if (mapping.team == 32) y = std::min<int64_t>(8, lanes);
    blocks_x = over(lanes, y);
    if (mapping.double_buffered)
      blocks_x = std::min(blocks_x, double_buffered_blocks(mapping, lanes, multiprocessors) * multiprocessors);
  } else {
    // Several rows per block: elements that rows share, as in stencils, are then in the L1 cache.
    x = extents.size() > 1 ? 32 : threads_a_block;
    while (x < threads_a_block && x * rows_in_block(x, rows) < threads_a_block && x * mapping.unroll < lanes) x *= 2;
    while (x > 1 && x / 2 >= lanes) x /= 2;
    if (extents.size() > 1) y = rows_in_block(x, rows);
    // With few, expensive lanes, use all multiprocessors.
    while (y == 1 && x > 32 && rows * lanes < x * mapping.unroll * GridLimits::enough_blocks) x /= 2;
    blocks_x = over(lanes, x * mapping.unroll);
    // Threads that take one lane at a time have much work per lane, some of it shared by all lanes: they take several.
    // The same for narrow rows, whose operands each begin at a different byte.
    if (mapping.narrow)
      blocks_x = std::max(std::min(blocks_x, GridLimits::enough_blocks * 8 / rows + 1), over(blocks_x, 5));
    if (extents.size() > 1 && mapping.unroll <= 2 && !mapping.narrow) {
      const int64_t iterations =
          std::clamp<int64_t>(blocks_x * (rows / y) / GridLimits::many_blocks_of_rows, 1, GridLimits::most_iterations);
      blocks_x = over(blocks_x, iterations);
    } else if (mapping.unroll == 1) {
      blocks_x = std::min(blocks_x, std::max(GridLimits::many_blocks, over(blocks_x, GridLimits::most_iterations)));
    }
  }
  const int64_t rows_a_block = mapping.team > 1 || mapping.slices > 1 ? 1 : y;
  runtime::Grid grid;
  grid.threads = {static_cast<uint32_t>(x), static_cast<uint32_t>(y), 1};
  grid.blocks = {static_cast<uint32_t>(std::min(blocks_x, GridLimits::most_blocks)),
                 blocks_of_rows(over(rows, rows_a_block)), 1};
  return grid;
}

}  // namespace tessera::engine
