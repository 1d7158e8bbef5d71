/// Memory of graph::Version: which runtime::Buffer holds its elements.
#pragma once

#include "tessera/graph/node.h"
#include "tessera/plan/planner.h"
#include "tessera/runtime/buffer.h"

namespace tessera::engine {

/// Sets the function by which graph objects release memory. Call once.
void install_memory_hooks();
/// The buffer in host memory; null when the elements are only on a device.
runtime::Buffer* buffer_of(const graph::Version& version);
/// Makes `buffer` the settled contents of `version`.
void set_buffer(graph::Version& version, Ref<runtime::Buffer> buffer);
/// A settled version with its own memory, contents undefined.
Ref<graph::Version> make_settled(int64_t nbytes);
/// The same with zeros in fresh, untouched pages; for large arrays.
Ref<graph::Version> make_settled_zeros(int64_t nbytes);

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
