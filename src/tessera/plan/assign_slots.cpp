#include <algorithm>

#include "tessera/plan/draft.h"

namespace tessera::plan {

using graph::Node;
using graph::NodeKind;

namespace {

/// A value that only its own kernel uses, element by element, never reaches memory.
bool needs_memory(const Draft& draft, int i) {
  const VersionUse& out = draft.use(draft.node(i).out.get());
  if (out.live || !out.writers.empty()) return true;
  return std::any_of(out.readers.begin(), out.readers.end(), [&](int reader) {
    if (draft.group_of[reader] != draft.group_of[i]) return true;
    const Node& node = draft.node(reader);
    for (int k = 0; k < node.form->input_count; ++k) {
      if (node.inputs[k].version == draft.node(i).out && aligned_producer(draft, node, k) != i) return true;
    }
    return false;
  });
}

int make_slot(Draft& draft, int64_t nbytes) {
  draft.plan.slots.push_back({.nbytes = nbytes});
  return static_cast<int>(draft.plan.slots.size()) - 1;
}

}  // namespace

void assign_slots(Draft& draft) {
  for (VersionUse& use : draft.versions) {
    if (use.producer >= 0) continue;
    use.slot = static_cast<int>(draft.plan.slots.size());
    draft.plan.slots.push_back({.external = use.external, .nbytes = use.nbytes, .kept = true});
  }
  draft.plan.result_slots.assign(draft.request.size(), -1);
  for (int i = 0; i < draft.request.size(); ++i) {
    if (draft.group_of[i] < 0) continue;
    const Node& node = draft.node(i);
    VersionUse& out = draft.use(node.out.get());
    if (node.form->kind == NodeKind::write) {
      const bool in_place = draft.write_mode[i] == WriteMode::in_place;
      out.slot = in_place ? draft.use(node.old.get()).slot : make_slot(draft, out.nbytes);
      draft.stored[i] = true;
    } else if (needs_memory(draft, i)) {
      out.slot = make_slot(draft, out.nbytes);
      draft.stored[i] = true;
    }
    if (out.live && out.slot >= 0) {
      draft.plan.result_slots[i] = out.slot;
      draft.plan.slots[out.slot].kept = true;
    }
  }
}

}  // namespace tessera::plan
