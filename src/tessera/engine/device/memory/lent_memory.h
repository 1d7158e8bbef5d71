/// LentMemory: running requests on the host that write arrays whose only valid memory is on a device, lent to other
/// libraries.
#pragma once

#include "tessera/plan/planner.h"

namespace tessera::engine {

/// Whether a node of the request writes to such memory.
bool writes_lent_memory(const plan::Request& request);
/// Copies what the request wrote on the host back to the devices.
void return_lent_memory(const plan::Request& request);

}  // namespace tessera::engine
