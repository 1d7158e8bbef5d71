/// Gathers by index in device memory, for the routines that consist of them.
#pragma once

#include "tessera/routines/launcher.h"

namespace tessera::routines {

/// out[o, p, i] = x[o, index[p], i] for dense arrays.
struct TakenSlabs {
  DType dtype;
  int64_t outer, n, picks, inner;
};

/// Queues the gather; the indices (int64) are in range.
void take_slabs(Launcher& launcher, const TakenSlabs& slabs, const char* x, const char* index, char* out);

}  // namespace tessera::routines
