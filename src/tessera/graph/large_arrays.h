/// LargeArrays: a list of the larger versions that have memory, least recently used on a device first, and of the sites
/// that made them.
#pragma once

#include <cstdint>

#include "tessera/layout/view.h"

namespace tessera::graph {

class Version;

/// Arrays from this size on are moved to make room on a device, and named when memory does not suffice.
inline constexpr int64_t large_bytes = int64_t{1} << 18;

struct LargeArray {
  Version* version = nullptr;
  Dims shape;
  DType dtype = DType::float64;
  uint64_t site = 0;  // the site that made it; later writes do not change that
  LargeArray* older = nullptr;
  LargeArray* newer = nullptr;
};

/// Adds the version as most recently used. The engine's lock guards the list.
void note_large(Version& version, const Dims& shape, DType dtype, uint64_t site);
/// Marks the version as most recently used; no effect for versions that are not in the list.
void mark_used(Version& version);
void forget_large(Version& version);
/// The head of the list; follow `newer`.
LargeArray* least_used();

}  // namespace tessera::graph
