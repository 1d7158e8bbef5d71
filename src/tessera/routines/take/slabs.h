/// Gathers by index in device memory, for the routines that consist of them.
#pragma once

#include <vector>

#include "tessera/library/host/gather.h"
#include "tessera/routines/launcher.h"

namespace tessera::routines {

/// out[o, p, i] = x[o, index[p], i] for dense arrays.
struct TakenSlabs {
  DType dtype;
  int64_t outer, n, picks, inner;
};

/// Queues the gather. The last of the buffers (x, indices, out, wrong), an int32 0, becomes 1 when an index is out of
/// range and the mode raises.
void queue_take(Launcher& launcher, const TakenSlabs& slabs, library::IndexMode mode, DType index_type,
                std::vector<const char*> buffers);
/// The same for indices (int64) in range.
void take_slabs(Launcher& launcher, const TakenSlabs& slabs, const char* x, const char* index, char* out);

}  // namespace tessera::routines
