// How many blocks and threads a form wants for a box of lanes.
#include <algorithm>

#include "tessera/engine/device/launch_form.h"

namespace tessera::engine {

using codegen::DeviceForm;

namespace {

constexpr int64_t threads_a_block = 256;
constexpr int64_t most_rows = 65535;    // blocks along y
constexpr int64_t enough_blocks = 512;  // a few for each multiprocessor
constexpr int64_t most_blocks = int64_t{1} << 30;

int64_t over(int64_t x, int64_t y) { return (x + y - 1) / y; }

uint32_t blocks_of_rows(int64_t rows) { return static_cast<uint32_t>(std::min(most_rows, rows)); }

/// Squares of 32 lanes and 32 of the crossed axis, or strips of what is not the short one.
runtime::Grid crossed_grid(const DeviceForm& form, const Dims& extents, int64_t rows) {
  constexpr int64_t side = 32;
  const size_t lanes = extents.size() - 1;
  if (form.short_extent == 0) {
    rows = rows / extents[form.cross_axis] * over(extents[form.cross_axis], side);
    return {.blocks = {static_cast<uint32_t>(over(extents[lanes], side)), blocks_of_rows(rows), 1},
            .threads = {32, 8, 1}};
  }
  const int64_t long_extent =
      extents[form.short_axis == static_cast<int>(lanes) ? static_cast<size_t>(form.cross_axis) : lanes];
  rows = rows * extents[lanes] / (long_extent * form.short_extent);
  return {.blocks = {static_cast<uint32_t>(over(long_extent, threads_a_block)), blocks_of_rows(rows), 1},
          .threads = {threads_a_block, 1, 1}};
}

/// Blocks a multiprocessor that read ahead, of which two run at once: those of many lanes end at different times, and
/// others take their places.
int64_t blocks_ahead(const DeviceForm& form, int64_t lanes, int multiprocessors) {
  constexpr int64_t at_once = 2, lanes_a_block = 16;
  const int64_t waves = lanes / (at_once * lanes_a_block * multiprocessors);
  return waves > 1 ? at_once * waves : form.ahead;
}

/// Rows that a block of x threads along the lanes takes at once.
int64_t rows_in_block(int64_t x, int64_t rows) { return std::max<int64_t>(1, std::min(threads_a_block / x, rows)); }

}  // namespace

Dims flattened(const Dims& extents) {
  Dims flat = extents;
  flat.pop_back();
  flat.back() *= extents.back();
  return flat;
}

runtime::Grid choose_grid(const DeviceForm& form, const Dims& extents, int multiprocessors) {
  if (form.flat > 0) {
    DeviceForm rows_together = form;
    rows_together.flat = 0;
    return choose_grid(rows_together, flattened(extents), multiprocessors);
  }
  const int64_t lanes = extents.empty() ? 1 : extents.back();
  int64_t rows = 1;
  for (size_t axis = 0; axis + 1 < extents.size(); ++axis) rows *= extents[axis];
  if (form.crossed) return crossed_grid(form, extents, rows);
  if (form.rows > 1) {
    const auto x = static_cast<uint32_t>(form.threads);
    return {.blocks = {static_cast<uint32_t>(over(lanes, x)), blocks_of_rows(over(rows, form.rows)), 1},
            .threads = {x, 1, 1}};
  }
  int64_t x = 0, y = 1, blocks_x = 0;
  if (form.slices > 1) {
    x = form.threads;
    y = form.slices;
    blocks_x = over(lanes, x);
  } else if (form.team > 1) {
    x = form.team;
    if (form.team == 32) y = std::min<int64_t>(8, lanes);
    blocks_x = over(lanes, y);
    if (form.ahead) blocks_x = std::min(blocks_x, blocks_ahead(form, lanes, multiprocessors) * multiprocessors);
  } else {
    // Several rows a block: what one row reads of another, as stencils do, is then in the first cache.
    x = extents.size() > 1 ? 32 : threads_a_block;
    while (x < threads_a_block && x * rows_in_block(x, rows) < threads_a_block && x * form.copies < lanes) x *= 2;
    while (x > 1 && x / 2 >= lanes) x /= 2;
    if (extents.size() > 1) y = rows_in_block(x, rows);
    // Few lanes that each take long want all multiprocessors.
    while (y == 1 && x > 32 && rows * lanes < x * form.copies * enough_blocks) x /= 2;
    blocks_x = over(lanes, x * form.copies);
    // Threads that take one lane at a time have much to do for it, some of it for all lanes alike.
    constexpr int64_t most_turns = 16, many_blocks = 16384, many_of_rows = 4096;
    // So have those of narrow rows, whose every operand begins at a byte of its own.
    if (form.narrow) blocks_x = std::max(std::min(blocks_x, enough_blocks * 8 / rows + 1), over(blocks_x, 5));
    if (extents.size() > 1 && form.copies <= 2 && !form.narrow) {
      const int64_t turns = std::clamp<int64_t>(blocks_x * (rows / y) / many_of_rows, 1, most_turns);
      blocks_x = over(blocks_x, turns);
    } else if (form.copies == 1) {
      blocks_x = std::min(blocks_x, std::max(many_blocks, over(blocks_x, most_turns)));
    }
  }
  const int64_t rows_a_block = form.team > 1 || form.slices > 1 ? 1 : y;
  runtime::Grid grid;
  grid.threads = {static_cast<uint32_t>(x), static_cast<uint32_t>(y), 1};
  grid.blocks = {static_cast<uint32_t>(std::min(blocks_x, most_blocks)), blocks_of_rows(over(rows, rows_a_block)), 1};
  return grid;
}

}  // namespace tessera::engine
