/// split_window: nodes that need nothing of each other, as parts that may run on different devices.
#pragma once

#include <cstdint>
#include <vector>

#include "tessera/graph/window.h"

namespace tessera::plan {

/// Reorders the nodes before `end`, none of them a call, into parts of which none reads what another makes or writes,
/// and returns where each part ends. Nodes of one part stay in their order. What makes less than `least_bytes` is no
/// part of its own, and a window that writes memory shared with other code is one part.
std::vector<int64_t> split_window(graph::Window& window, int64_t end, int64_t least_bytes);

}  // namespace tessera::plan
