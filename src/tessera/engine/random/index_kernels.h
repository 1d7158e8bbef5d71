/// Kernels of random numbers that are functions of a key and an index alone: the same program on the host and on a device.
#pragma once

#include "tessera/ir/kernel.h"

namespace tessera::engine {

enum class IndexDraw : uint8_t { uniform, normal, integers };

inline constexpr int index_draw_threads = 256;

/// Numbers come four to a block: number i from Philox block i / 4 (words of 64 bits for float64 and integers, of 32 for
/// float32). `staged`: a block of threads hands its numbers over in shared memory, so that neighbours write neighbours.
/// buffers: out; scalars: key (2), first block, numbers of it to skip, numbers; integers: low, range (0: all of 2^64)
ir::Kernel index_draw_kernel(IndexDraw draw, DType dtype, bool staged);

}  // namespace tessera::engine
