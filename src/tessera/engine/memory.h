/// The engine's side of graph::Version: which runtime::Buffer holds its elements.
#pragma once

#include "tessera/graph/node.h"
#include "tessera/plan/planner.h"
#include "tessera/runtime/buffer.h"

namespace tessera::engine {

/// Tells the graph room how to drop memory. Call once.
void install_memory_hooks();
/// Where the elements lie in host memory; null when they lie on a device only.
runtime::Buffer* buffer_of(const graph::Version& version);
/// Makes `buffer` the settled contents of `version`.
void set_buffer(graph::Version& version, Ref<runtime::Buffer> buffer);
/// A settled version with memory of its own, contents undefined.
Ref<graph::Version> make_settled(int64_t nbytes);
/// The same with zeros in pages that nobody has touched; for large arrays.
Ref<graph::Version> make_settled_zeros(int64_t nbytes);

/// The version that an operand of a node is, or its `old`.
graph::Version& version_at(const plan::Request& request, const plan::NodeRef& at);
/// Notes who asked for a larger array that the plan makes, or for all of them. Before they are settled.
void note_large_result(const plan::Request& request, int node);
void note_large_results(const plan::Plan& plan, const plan::Request& request);

/// Says that the node's result was what memory did not suffice for.
[[noreturn]] void refuse_result(const graph::Node& node);

}  // namespace tessera::engine
