/// Calls of routines that compute rows apart, over arrays that are cut over several places: each computes its own rows.
#pragma once

#include "tessera/engine/record/recorder.h"
#include "tessera/graph/node.h"

namespace tessera::engine {

struct State;

/// False where the call does not run so, and nothing was done: its routine does not compute rows apart, its operand is
/// not cut, some place has parts of rows only, or it cannot run on the places.
bool run_by_rows(State& state, const graph::Node& node, Recorder& window);

}  // namespace tessera::engine
