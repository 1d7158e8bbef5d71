/// Early nodes: what a group computes only for a later one, which could as well do that itself.
#pragma once

#include <cstdint>
#include <vector>

#include "tessera/plan/draft.h"

namespace tessera::plan {

/// Bytes that the groups' kernels load and store, counting what lies in one version once a kernel.
int64_t moved_bytes(const Draft& draft);
/// For each node that should be computed later, a node whose group it should come after, else -1; empty when there are
/// none.
std::vector<int> find_early_nodes(const Draft& draft);

}  // namespace tessera::plan
