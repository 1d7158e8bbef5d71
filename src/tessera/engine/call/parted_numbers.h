/// Calls that make numbers of a few words, such as draws of a seeded stream, at several places: each makes its own.
#pragma once

#include "tessera/engine/call/parted_call.h"
#include "tessera/engine/device/placement/device_set.h"
#include "tessera/routines/table.h"

namespace tessera::engine {

/// On devices; false, with nothing done, where the numbers are not to be cut, or none can be made without those before.
bool make_numbers_on_devices(State& state, graph::Call& call, const routines::Entry& entry, const DeviceSet& devices,
                             uint64_t site);
/// On ranks, in their window, where the numbers are to be cut.
bool make_numbers_on_ranks(State& state, graph::Call& call, const routines::Entry& entry, const CallContext& context);

}  // namespace tessera::engine
