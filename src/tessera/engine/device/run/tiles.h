/// Tiles: which part of each buffer a kernel touches for a range of its outermost lanes, so that arrays larger than a
/// device's memory can be processed piece by piece.
#pragma once

#include <optional>
#include <vector>

#include "tessera/ir/arguments.h"
#include "tessera/ir/kernel.h"

namespace tessera::engine {

/// Lanes [begin, end) of axis 0 touch [begin * step, end * step) along this axis of the buffer.
struct TiledAxis {
  int axis = -1;  // -1: all lanes touch all of the buffer
  int64_t step = 1;
};

/// The tiled axis of every buffer; nullopt when the kernel's indices do not determine it.
std::optional<std::vector<TiledAxis>> find_tiling(const ir::Kernel& kernel);

/// A range of bytes relative to element 0.
struct ByteRange {
  int64_t begin = 0, end = 0;
  int64_t elements = 0;  // number of elements touched in it
};
ByteRange touched_bytes(const ir::Kernel& kernel, uint32_t buffer, const TiledAxis& tiled,
                        const ir::KernelArguments& arguments, int64_t begin, int64_t end);

}  // namespace tessera::engine
