/// Fibers: many units of work that may wait for each other, on the process's threads.
#pragma once

#include <cstdint>

#include "tessera/runtime/host/threads.h"

namespace tessera::runtime {

/// Calls unit(k, k + 1) for each k below `count`, each on a stack of its own, on up to thread_count() threads, in the
/// order of k as far as units do not wait. A unit that waits lets the thread's others run. Exceptions of any unit reach
/// the caller once all others have ended.
void run_fibers(int64_t count, RangeFn unit);

/// Within a unit: lets other units of the same thread run. Nothing elsewhere.
void pause_fiber();

/// Within a unit: returns when every unit that has not ended has called this as often. Nothing elsewhere.
void meet_fibers();

}  // namespace tessera::runtime
