/// Memory of the versions that a plan reads and makes.
#pragma once

#include "tessera/graph/node.h"
#include "tessera/plan/planner.h"

namespace tessera::engine {

/// The version that an operand of a node refers to, or its `old`.
graph::Version& version_at(const plan::Request& request, const plan::NodeRef& at);
/// Records in the list of large arrays which site asked for the node's result, or for every result of the plan. Call
/// before the results are settled.
void note_large_result(const plan::Request& request, int node);
void note_large_results(const plan::Plan& plan, const plan::Request& request);

/// The bytes of a result. Refuses at the call what no machine can address; a smaller array may turn out to be a
/// temporary that is never stored.
int64_t addressable_bytes(const View& layout);
/// Throws the ArrayMemoryError for the node's result.
[[noreturn]] void refuse_result(const graph::Node& node);

}  // namespace tessera::engine
