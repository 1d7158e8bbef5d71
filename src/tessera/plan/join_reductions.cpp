#include "tessera/plan/draft.h"
#include "tessera/plan/kernel_draft.h"

namespace tessera::plan {

using graph::Node;
using graph::NodeKind;

namespace {

/// Whether the result depends on the order of the reduction.
bool rounds(const graph::Form& reduction) {
  return (reduction.reduce == ir::ReduceKind::add || reduction.reduce == ir::ReduceKind::mul) &&
         !is_integer(reduction.dtype) && !is_boolean(reduction.dtype);
}

/// The group of a reduction with the nodes that compute its operand.
Group joined(const Group& source, const Group& group) {
  Group both = group;
  both.nodes = source.nodes;
  both.nodes.push_back(group.reduction);
  return both;
}

/// Why the group, which computes node p, must run as a kernel of its own; null where only the reduction needs it.
const char* why_stored(const Draft& draft, const Group& source, int p, int reduction) {
  const int g = draft.group_of[p];
  for (int i : source.nodes) {
    const Node& node = draft.node(i);
    if (node.form->kind != NodeKind::map) return "the kernel writes to an array";
    const VersionUse& out = draft.use(node.out.get());
    if (out.live) return "the kernel stores a result that is needed afterwards";
    if (!out.writers.empty()) return "the kernel's result is written to later";
    for (int reader : out.readers) {
      const bool inside = draft.group_of[reader] == g && reader != reduction;
      if (!inside && !(i == p && reader == reduction)) return "other kernels read the kernel's results";
    }
    // Moving the group later must not move its reads past a store into the same memory.
    for (int k = 0; k < node.form->input_count; ++k) {
      if (node.inputs[k].version && !draft.use(node.inputs[k].version.get()).writers.empty())
        return "an array that the kernel reads is written to";
    }
  }
  return nullptr;
}

/// Why the reduction's kernel cannot compute what the group of node p, its operand, computes; null where it can.
const char* why_not_joined(Draft& draft, const Group& group, const Group& source, int p) {
  const Node& reduction = draft.node(group.reduction);
  if (source.reduction >= 0) return apart_by_reduction;
  if (aligned_producer(draft, reduction, 0) < 0) return apart_by_elements;
  if (const char* why = why_stored(draft, source, p, group.reduction)) return why;
  // Rounding sums must take the elements in the same order as if these were stored: whether they are stored depends
  // on other uses of the array.
  if (rounds(*reduction.form) && !KernelDraft(draft, joined(source, group)).reduces_as(KernelDraft(draft, group)))
    return "the sum would take the elements in another order";
  return nullptr;
}

}  // namespace

void join_reductions(Draft& draft) {
  for (Group& group : draft.groups) {
    if (group.reduction < 0) continue;
    const graph::Version* operand = draft.node(group.reduction).inputs[0].version.get();
    const int p = operand ? draft.request.producer(operand) : -1;
    if (p < 0) continue;
    Group& source = draft.groups[draft.group_of[p]];
    if (const char* why = why_not_joined(draft, group, source, p)) {
      if (draft.notes_apart) draft.apart.push_back({.reader = group.reduction, .producer = p, .why = why});
      continue;
    }
    group.nodes = joined(source, group).nodes;
    for (int i : source.nodes) draft.group_of[i] = static_cast<int>(&group - draft.groups.data());
    source.nodes.clear();
  }
}

}  // namespace tessera::plan
