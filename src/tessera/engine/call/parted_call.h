/// Calls of routines on arrays that are cut: each place computes with its slabs of the operands.
#pragma once

#include "tessera/engine/record/recorder.h"
#include "tessera/graph/call.h"
#include "tessera/graph/form.h"

namespace tessera::engine {

struct State;

/// What is known of a call beside itself. `form`: of its node, null for one that was not recorded.
struct CallContext {
  uint64_t site = 0;
  uint32_t watched_events = 0;
  Ref<const graph::Form> form{};
};

/// Runs the call at the places that have its operands, or are to have them; false, with nothing done, where its
/// descriptor or the operands do not allow that.
bool run_in_parts(State& state, graph::Call& call, Recorder& window, const CallContext& context);

}  // namespace tessera::engine
