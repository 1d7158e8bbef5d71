/// Gathers by index in device memory, for the routines that consist of them.
#pragma once

#include <vector>

#include "tessera/library/host/gather.h"
#include "tessera/routines/launcher.h"
#include "tessera/routines/rows/row_indices.h"

namespace tessera::routines {

/// out[o, p, i] = x[o, index[p], i] for dense arrays.
struct TakenSlabs {
  DType dtype;
  int64_t outer, n, picks, inner;
};

/// Queues the gather by one index array, whose mode says what becomes of indices out of range; waits and throws
/// IndexError where that is an error.
void take_by_index(Launcher& launcher, const TakenSlabs& slabs, const RowIndices& where, const char* x,
                   const char* out);
/// The same for indices (int64) in range.
void take_slabs(Launcher& launcher, const TakenSlabs& slabs, const char* x, const char* index, char* out);

}  // namespace tessera::routines
