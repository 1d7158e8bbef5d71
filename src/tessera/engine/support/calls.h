/// Calls of routines: how the engine describes one.
#pragma once

#include <string>
#include <string_view>

#include "tessera/graph/call.h"
#include "tessera/routines/table.h"

namespace tessera::engine {

/// "sort of (1000,) float64", for texts.
std::string describe_call(const graph::Call& call);

/// Whether a call that runs when it is made takes so long on the host that the caller's lock is released meanwhile.
bool is_long_call(const ops::Routine& routine, const ops::CallView& call);

/// As reports of floating-point events name the routine's calls.
inline std::string_view events_name(const routines::Entry& entry) {
  return entry.events_name.empty() ? entry.routine.name : entry.events_name;
}

/// Whether offset and strides are multiples of the element size, as device code needs: views may begin at any byte.
bool has_whole_steps(const View& view);

}  // namespace tessera::engine
