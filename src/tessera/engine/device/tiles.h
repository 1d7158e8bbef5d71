/// Tiling: which part of its buffers a kernel touches for some of its outermost lanes, so that arrays larger than a
/// device's memory can go through it piece by piece.
#pragma once

#include <optional>
#include <vector>

#include "tessera/ir/arguments.h"
#include "tessera/ir/kernel.h"

namespace tessera::engine {

/// Lanes [begin, end) of axis 0 touch [begin * step, end * step) along this axis of the buffer.
struct TiledAxis {
  int axis = -1;  // -1: they all touch all of it
  int64_t step = 1;
};

/// For every buffer; nothing when the kernel's indices do not tell.
std::optional<std::vector<TiledAxis>> find_tiling(const ir::Kernel& kernel);

/// Bytes from where element 0 lies.
struct ByteRange {
  int64_t begin = 0, end = 0;
  int64_t elements = 0;  // that are touched in it
};
ByteRange touched_bytes(const ir::Kernel& kernel, uint32_t buffer, const TiledAxis& tiled,
                        const ir::KernelArguments& arguments, int64_t begin, int64_t end);

}  // namespace tessera::engine
