/// draw_by_index: arrays of numbers that depend on a key and an index alone, made where this thread's work runs.
#pragma once

#include <array>

#include "tessera/engine/engine.h"
#include "tessera/engine/random/index_kernels.h"

namespace tessera {

struct IndexStream {
  std::array<uint64_t, 2> key;
  engine::IndexDraw draw;
  DType dtype;  // float64 or float32; int64 of integers
  uint64_t low = 0, range = 0;
};

/// Numbers `first` and following of the stream.
Array draw_by_index(Engine& engine, const IndexStream& stream, uint64_t first, std::span<const int64_t> shape);

}  // namespace tessera
