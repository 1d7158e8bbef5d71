/// LargeArrays: the versions of some size that have memory, least recently used on a device first, and who asked for
/// them.
#pragma once

#include <cstdint>

#include "tessera/layout/view.h"

namespace tessera::graph {

class Version;

/// From this size on an array is worth moving to make room, and worth naming when there is none.
inline constexpr int64_t large_bytes = int64_t{1} << 18;

struct LargeArray {
  Version* version = nullptr;
  Dims shape;
  DType dtype = DType::float64;
  uint64_t site = 0;  // of whoever asked for it first; writes do not change that
  LargeArray* older = nullptr;
  LargeArray* newer = nullptr;
};

/// Notes the version as used last. The engine's lock guards the list.
void note_large(Version& version, const Dims& shape, DType dtype, uint64_t site);
/// Moves it to the end of the list; nothing for versions that are not in it.
void mark_used(Version& version);
void forget_large(Version& version);
/// The head of the list; follow `newer`.
LargeArray* least_used();

}  // namespace tessera::graph
