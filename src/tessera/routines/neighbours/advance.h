/// The edges of a frontier, balanced by edges: a thread an edge, however many its node has.
#pragma once

#include "tessera/routines/neighbours/rows.h"

namespace tessera::routines {

/// The arcs that leave some nodes, one node after the other.
struct FrontierArcs {
  int64_t count = 0;
  Ref<runtime::Buffer> from;  ///< which of the nodes each leaves, as int64
  Ref<runtime::Buffer> arcs;  ///< its number, as int64
};

/// Queues the arcs that leave `count` > 0 nodes (int64); waits for their number.
FrontierArcs advance(Launcher& launcher, const DeviceRows& rows, int64_t count, const char* nodes);

}  // namespace tessera::routines
