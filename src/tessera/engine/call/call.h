/// Calls of routines: how the engine describes one.
#pragma once

#include <string>

#include "tessera/graph/call.h"

namespace tessera::engine {

/// "sort of (1000,) float64", for texts.
std::string describe_call(const graph::Call& call);

}  // namespace tessera::engine
