/// draw_by_index: arrays of random numbers that depend only on a key and an index, made where this thread's work runs.
#pragma once

#include <array>

#include "tessera/engine/engine.h"
#include "tessera/routines/index_draw/kernels.h"

namespace tessera {

struct IndexStream {
  std::array<uint64_t, 2> key;
  routines::IndexDraw draw;
  DType dtype;  // float64 or float32; int64 for integers
  uint64_t low = 0, range = 0;
};

/// The numbers of the stream from index `first` on.
Array draw_by_index(Engine& engine, const IndexStream& stream, uint64_t first, std::span<const int64_t> shape);

}  // namespace tessera
