/// LaunchShape: the grid, the blocks, their dynamic shared memory and the stream with which a user kernel is launched.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace tessera {

namespace runtime {
class UserStream;
}
namespace engine {
class AccessCheck;
}

/// Along x, y, z, as in CUDA.
struct LaunchShape {
  std::array<int64_t, 3> grid{1, 1, 1};
  std::array<int64_t, 3> block{1, 1, 1};
  int64_t shared_bytes = 0;                         // dynamic shared memory of each block
  runtime::UserStream* stream = nullptr;            // null: the device's own
  engine::AccessCheck* check = nullptr;             // what the kernel tells of its accesses, on the cores
  const std::vector<std::string>* names = nullptr;  // of the arrays, for messages; null: their numbers

  int64_t blocks() const { return grid[0] * grid[1] * grid[2]; }
  int64_t threads() const { return block[0] * block[1] * block[2]; }
  /// The extents of the kernel's six axes: grid z, y, x and block z, y, x.
  std::array<int64_t, 6> extents() const { return {grid[2], grid[1], grid[0], block[2], block[1], block[0]}; }
};

}  // namespace tessera
