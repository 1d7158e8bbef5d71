/// LentMemory: running requests on the host that write arrays whose only valid memory is on a device, lent to other
/// libraries.
#pragma once

#include "tessera/graph/storage.h"
#include "tessera/plan/planner.h"
#include "tessera/runtime/device.h"

namespace tessera::engine {

/// Whether a node of the request writes to such memory.
bool writes_lent_memory(const plan::Request& request);
/// Copies what the request wrote on the host back to the devices.
void return_lent_memory(const plan::Request& request);

/// Whether other libraries see the storage's memory, on this device.
bool is_lent_on(const graph::Storage& storage, const runtime::Device& device);

}  // namespace tessera::engine
