/// Kernels on the host whose lanes wait for those of other blocks: at barriers of the grid, or by reading in a loop.
#pragma once

#include <cstdint>
#include <functional>

#include "tessera/ir/arguments.h"
#include "tessera/ir/kernel.h"

namespace tessera::engine {

/// The most blocks that may wait for each other at barriers of the grid: each keeps its memory.
inline constexpr int most_blocks_that_meet = 8192;

/// Calls run(begin, end) of six coordinates for each block, or for each lane where the lanes of a block have no meeting
/// points, so that those which wait let the others go on. The arguments' `wait_for` must be wait_for_others.
void run_waiting(const ir::Kernel& kernel, const int64_t* extents,
                 const std::function<void(const int64_t* begin, const int64_t* end)>& run);

/// KernelArguments::wait_for of such runs.
void wait_for_others(ir::Wait what);

}  // namespace tessera::engine
