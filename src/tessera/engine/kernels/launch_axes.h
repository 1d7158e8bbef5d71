/// The axes of a kernel that is launched: those of its grid of blocks, then those of a block's threads.
#pragma once

#include <cstddef>

namespace tessera::engine {

inline constexpr size_t grid_axes = 3, all_axes = 6;

}  // namespace tessera::engine
