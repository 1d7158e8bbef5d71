/// Mapped: a kernel over elements as a kernel over a grid, with what its launch needs beside the operands.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "tessera/ir/kernel.h"

namespace tessera::mapping {

/// The grid of a launch: numbers of blocks and of threads in a block, along z, y and x.
struct LaunchShape {
  std::array<int64_t, 3> blocks{1, 1, 1};
  std::array<int64_t, 3> threads{1, 1, 1};
  /// The extents of the mapped kernel's axes.
  std::array<int64_t, 6> extents() const {
    return {blocks[0], blocks[1], blocks[2], threads[0], threads[1], threads[2]};
  }
  friend bool operator==(const LaunchShape&, const LaunchShape&) = default;
};

/// A number of the box of lanes that a launch covers, which a mapped kernel reads as an int64.
struct BoxNumber {
  enum class Kind : uint8_t {
    begin,   // the first index along the axis
    size,    // the box's extent
    extent,  // that of the whole parallel space
    zero,    // always 0, which compilers cannot know
  };
  Kind kind;
  int axis = 0;
  friend bool operator==(const BoxNumber&, const BoxNumber&) = default;
};

/// The scalars of a mapped kernel beyond those of the kernel that it maps, in order.
using Parameters = std::vector<BoxNumber>;

/// How many blocks a launch has along one axis of the grid, or two, by the lanes of its box along their first axis.
struct BlocksByFirst {
  enum class Along : uint8_t { none, x, yz };
  Along along = Along::none;  // none: their number does not depend on it
  /// (lanes * times / each, rounded up) * factor.
  int64_t times = 1, each = 1, factor = 1;
};

/// The kernel has six axes, blockIdx.z, .y, .x, threadIdx.z, .y, .x, and the buffers of the kernel that it maps. Its
/// text depends on no extent, unless the mapping says so: launches of other sizes use the same code.
struct Mapped {
  ir::Kernel kernel;
  LaunchShape shape;
  Parameters parameters;
  BlocksByFirst by_first{};

  size_t own_scalars() const { return kernel.scalars.size() - parameters.size(); }
};

/// A box of lanes of a kernel: `ndim` numbers each.
struct LaneBox {
  const int64_t* begin;
  const int64_t* end;
  const int64_t* extents;  // of the whole parallel space
};

/// x / y, rounded up.
inline int64_t over(int64_t x, int64_t y) { return (x + y - 1) / y; }
/// So many blocks along y, and along z where they are more than `most` along y.
LaunchShape rows_of_blocks(int64_t rows, int64_t columns, int64_t most);
/// The grid of a launch over part of the first axis: so many of its lanes, and all of the others'.
LaunchShape shape_of_part(const Mapped& mapped, int64_t lanes);

/// Writes the scalars of a launch, 16 bytes each, after those of the kernel itself.
void write_scalars(const Mapped& mapped, const char* own, const LaneBox& box, char* to);

}  // namespace tessera::mapping
