#include <algorithm>

#include "tessera/plan/draft.h"

namespace tessera::plan {

using graph::Node;
using graph::NodeKind;

namespace {

/// A value used only by its own kernel, element by element, needs no memory.
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

/// Whether the group of map node i may store its result over the memory of operand k: the operand is dead, and all its
/// readers are nodes up to i of the same kernel, each at the element it stores.
bool may_take_over(const Draft& draft, int i, int k, const std::vector<bool>& taken) {
  const Node& node = draft.node(i);
  if (!(draft.request.dead[i] >> k & 1)) return false;
  const int version = draft.version_of(node.inputs[k].version.get());
  const VersionUse& use = draft.versions[version];
  if (use.producer >= 0 || taken[use.slot] || !use.writers.empty() || use.nbytes != node.out->nbytes) return false;
  const View target = output_view(node);
  return std::all_of(use.readers.begin(), use.readers.end(), [&](int reader) {
    if (reader > i || draft.group_of[reader] != draft.group_of[i]) return false;
    const Node& other = draft.node(reader);
    if (other.form->kind == NodeKind::reduce) return false;
    for (int j = 0; j < other.form->input_count; ++j) {
      if (other.inputs[j].version != node.inputs[k].version) continue;
      const View from = operand_view(other, j);
      const bool same = from.shape == target.shape && from.strides == target.strides && from.offset == target.offset &&
                        itemsize(from.dtype) == itemsize(target.dtype);
      if (!same) return false;
    }
    return true;
  });
}

/// The slot of an operand whose memory the result of map node i takes over, or -1.
int take_over(const Draft& draft, int i, std::vector<bool>& taken) {
  const Node& node = draft.node(i);
  if (node.form->kind != NodeKind::map) return -1;
  for (int k = 0; k < node.form->input_count; ++k) {
    if (!node.inputs[k].version || !may_take_over(draft, i, k, taken)) continue;
    const int slot = draft.use(node.inputs[k].version.get()).slot;
    taken[slot] = true;
    return slot;
  }
  return -1;
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
    draft.plan.slots.push_back({.external = use.external, .nbytes = use.nbytes, .kept = !use.dead});
  }
  std::vector<bool> taken(draft.plan.slots.size(), false);
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
      out.slot = take_over(draft, i, taken);
      if (out.slot < 0) out.slot = make_slot(draft, out.nbytes);
      draft.stored[i] = true;
    }
    if (out.live && out.slot >= 0) {
      draft.plan.result_slots[i] = out.slot;
      draft.plan.slots[out.slot].kept = true;
    }
  }
}

}  // namespace tessera::plan
