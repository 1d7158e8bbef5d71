#include "tessera/engine/device/run/plan_facts.h"

#include <algorithm>

namespace tessera::engine {

namespace {

/// Bytes that the plan holds while it runs.
int64_t plan_bytes(const plan::Plan& plan) {
  int64_t nbytes = 0;
  for (const plan::Slot& slot : plan.slots) nbytes += slot.external.node >= 0 ? slot.nbytes : 0;
  for (const plan::Block& block : plan.blocks) nbytes += block.from < 0 ? block.nbytes : 0;
  return nbytes;
}

/// The most bytes that any node would hold if it ran alone.
int64_t most_node_bytes(const plan::Request& request) {
  int64_t most = 0;
  for (int i = 0; i < request.size(); ++i) {
    const graph::Node& node = request.node(i);
    int64_t nbytes = node.out->nbytes;
    for (int k = 0; k < node.form->input_count; ++k) {
      const graph::Version* version = node.inputs[k].version.get();
      bool is_new = version != nullptr;
      for (int before = 0; before < k; ++before) is_new &= node.inputs[before].version.get() != version;
      if (is_new) nbytes += version->nbytes;
    }
    most = std::max(most, nbytes);
  }
  return most;
}

}  // namespace

void measure(BoundPlan& bound, const plan::Request& request) {
  if (bound.plan_bytes >= 0) return;
  bound.plan_bytes = plan_bytes(bound.plan);
  bound.most_node_bytes = most_node_bytes(request);
}

bool is_only_on_device(const graph::Version& version) {
  return !version.window && (version.on_devices || version.tiles) && !version.data;
}

bool is_all_elements_of_host(const plan::Request& request) {
  const auto is_element = [](const graph::Version& version) {
    return version.nbytes <= plan::PlacementLimits::element_bytes && !is_only_on_device(version);
  };
  for (int i = 0; i < request.size(); ++i) {
    const graph::Node& node = request.node(i);
    if (!is_element(*node.out) || (node.old && !is_element(*node.old))) return false;
    for (int k = 0; k < node.form->input_count; ++k)
      if (node.inputs[k].version && !is_element(*node.inputs[k].version)) return false;
  }
  return !request.pinned;
}

}  // namespace tessera::engine
