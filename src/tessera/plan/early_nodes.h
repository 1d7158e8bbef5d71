/// Early nodes: nodes that a group computes only for a later group, which could compute them as well.
#pragma once

#include <cstdint>
#include <vector>

#include "tessera/plan/draft.h"

namespace tessera::plan {

/// Bytes that the groups' kernels load and store; each kernel counts a version that it loads once.
int64_t moved_bytes(const Draft& draft);
/// For each node that should be computed later, a node whose group it should come after, else -1; empty when there are
/// none.
std::vector<int> find_early_nodes(const Draft& draft);

}  // namespace tessera::plan
