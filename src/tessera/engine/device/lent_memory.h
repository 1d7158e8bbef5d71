/// What the host computes for arrays whose only true memory is on a device, where others see it.
#pragma once

#include "tessera/plan/planner.h"

namespace tessera::engine {

/// Whether a node of the request writes to such memory.
bool writes_lent_memory(const plan::Request& request);
/// After the request ran on the host: takes what it wrote to the devices.
void return_lent_memory(const plan::Request& request);

}  // namespace tessera::engine
