/// Lanes of a block on the host that wait in loops for others of their own block: the kernel in which each runs apart.
#pragma once

#include "tessera/ir/kernel.h"

namespace tessera::engine {

/// Whether lanes may wait for others of a block whose lanes also meet at barriers or in shared arrays: in a loop that
/// reads a shared array, or that more than one lane of a block comes to. One lane alone waits for other blocks.
bool waits_within_blocks(const ir::Kernel& kernel);

/// The kernel for lanes that run apart: shared arrays are buffers with a row for each block, behind its own buffers,
/// and barriers call the host.
ir::Kernel set_lanes_apart(ir::Kernel kernel);

}  // namespace tessera::engine
