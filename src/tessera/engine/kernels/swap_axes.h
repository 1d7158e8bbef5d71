/// Kernels whose x runs along rows: x and y are exchanged, so that neighbouring threads access neighbouring elements.
#pragma once

#include "tessera/engine/kernels/launch_shape.h"
#include "tessera/ir/kernel.h"

namespace tessera::engine {

/// Whether neighbours along threadIdx.y, and not those along x, access neighbouring elements of most arrays that are
/// contiguous along rows. Nothing in the kernel may depend on which threads run together: it has no atomics, fences,
/// barriers, shared arrays, votes or pauses.
bool runs_down_columns(const ir::Kernel& kernel);
/// Whether it could do so if more of its arrays were contiguous along rows.
bool may_run_down_columns(const ir::Kernel& kernel);
/// The same kernel with x and y of the grid and of blocks exchanged; it is launched with swapped(shape).
ir::Kernel swap_axes(ir::Kernel kernel);
LaunchShape swapped(const LaunchShape& shape);
/// Whether a launch may be swapped, and blocks have enough threads along y for that to bring something.
bool can_swap(const LaunchShape& shape);

}  // namespace tessera::engine
