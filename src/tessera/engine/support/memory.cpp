#include "tessera/engine/support/memory.h"

#include "tessera/eager/array_memory_error.h"
#include "tessera/graph/large_arrays.h"

namespace tessera::engine {

using graph::Node;
using graph::NodeKind;
using graph::Version;

Version& version_at(const plan::Request& request, const plan::NodeRef& at) {
  const Node& node = request.node(at.node);
  return at.input < 0 ? *node.old : *node.inputs[at.input].version;
}

namespace {

Dims result_shape(const Node& node) {
  if (node.form->kind != NodeKind::reduce) return node.form->shape;
  Dims kept;
  for (size_t axis = 0; axis < node.form->shape.size(); ++axis) {
    if (!(node.form->axes >> axis & 1)) kept.push_back(node.form->shape[axis]);
  }
  return kept;
}

}  // namespace

void note_large_result(const plan::Request& request, int i) {
  Version& out = *request.node(i).out;
  if (out.nbytes < graph::large_bytes) return;
  // A write modifies an array that was made earlier, in this request or before it.
  int made = i;
  while (request.node(made).form->kind == NodeKind::write) {
    const Version& old = *request.node(made).old;
    if (const graph::LargeArray* known = old.large)
      return graph::note_large(out, known->shape, known->dtype, known->site);
    const int before = request.producer(&old);
    if (before < 0) break;
    made = before;
  }
  const Node& maker = request.node(made);
  const Dims shape =
      maker.form->kind == NodeKind::write ? Dims{out.nbytes / itemsize(maker.form->dtype)} : result_shape(maker);
  graph::note_large(out, shape, maker.form->dtype, maker.site);
}

void note_large_results(const plan::Plan& plan, const plan::Request& request) {
  for (int i = 0; i < request.size(); ++i) {
    if (plan.result_slots[i] >= 0) note_large_result(request, i);
  }
}

int64_t addressable_bytes(const View& layout) {
  constexpr int64_t address_space = int64_t{1} << 47;
  const int64_t nbytes = layout.size() * layout.itemsize();
  if (nbytes > address_space) throw ArrayMemoryError(layout.shape, layout.dtype);
  return nbytes;
}

void refuse_result(const Node& node) { throw ArrayMemoryError(result_shape(node), node.form->dtype); }

}  // namespace tessera::engine
