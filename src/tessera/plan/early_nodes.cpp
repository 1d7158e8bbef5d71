#include "tessera/plan/early_nodes.h"

#include <algorithm>

namespace tessera::plan {

using graph::Node;
using graph::NodeKind;

namespace {

int64_t bytes_of(const View& view) {
  int64_t nbytes = view.itemsize();
  for (int axis = 0; axis < view.ndim(); ++axis) nbytes *= view.strides[axis] ? view.shape[axis] : 1;
  return nbytes;
}

bool is_aligned_reader(const Draft& draft, int reader, int producer) {
  const Node& node = draft.node(reader);
  if (node.form->kind == NodeKind::reduce) return false;
  for (int k = 0; k < node.form->input_count; ++k)
    if (node.inputs[k].version == draft.node(producer).out && aligned_producer(draft, node, k) != producer)
      return false;
  return true;
}

/// The only later group that uses what node i computes, directly or through nodes that `later` assigns to it; or -1.
int only_reader(const Draft& draft, int i, const std::vector<int>& later) {
  const int g = draft.group_of[i];
  const Node& node = draft.node(i);
  if (g < 0 || node.form->kind != NodeKind::map || draft.groups[g].reduction >= 0) return -1;
  const VersionUse& out = draft.use(node.out.get());
  if (out.live || !out.writers.empty()) return -1;
  int h = -1;
  for (const int reader : out.readers) {
    const int its = draft.group_of[reader] == g ? later[reader] : draft.group_of[reader];
    if (its < 0 || (h >= 0 && its != h) || !is_aligned_reader(draft, reader, i)) return -1;
    h = its;
  }
  return h >= 0 && draft.groups[h].reduction < 0 ? h : -1;
}

/// A node before `first`, not itself to be moved, of the last group in [g, h) that has g's shape and such a node; or
/// -1.
int last_anchor(const Draft& draft, int g, int h, int first, const std::vector<int>& later) {
  for (int m = h - 1; m >= g; --m) {
    if (draft.groups[m].shape != draft.groups[g].shape) continue;
    for (const int i : draft.groups[m].nodes)
      if (i < first && later[i] < 0) return i;
  }
  return -1;
}

}  // namespace

int64_t moved_bytes(const Draft& draft) {
  int64_t total = 0;
  std::vector<int64_t> loaded(draft.versions.size());
  for (size_t g = 0; g < draft.groups.size(); ++g) {
    std::fill(loaded.begin(), loaded.end(), 0);
    for (const int i : draft.groups[g].nodes) {
      const Node& node = draft.node(i);
      for (int k = 0; k < node.form->input_count; ++k) {
        if (!node.inputs[k].version) continue;
        const int p = aligned_producer(draft, node, k);
        if (p >= 0 && draft.group_of[p] == static_cast<int>(g)) continue;
        int64_t& most = loaded[static_cast<size_t>(draft.version_of(node.inputs[k].version.get()))];
        most = std::max(most, bytes_of(operand_view(node, k)));
      }
      const VersionUse& out = draft.use(node.out.get());
      const auto is_elsewhere = [&](int reader) { return draft.group_of[reader] != static_cast<int>(g); };
      const bool is_stored = out.live || node.form->kind != NodeKind::map ||
                             std::any_of(out.readers.begin(), out.readers.end(), is_elsewhere);
      if (is_stored) total += bytes_of(output_view(node));
    }
    for (const int64_t nbytes : loaded) total += nbytes;
  }
  return total;
}

std::vector<int> find_early_nodes(const Draft& draft) {
  const int count = draft.request.size();
  std::vector<int> later(static_cast<size_t>(count), -1), first(draft.groups.size() * draft.groups.size(), -1);
  bool any = false;
  for (int i = count - 1; i >= 0; --i) any |= (later[i] = only_reader(draft, i, later)) >= 0;
  if (!any) return {};
  any = false;
  std::vector<int> after(static_cast<size_t>(count), -1);
  for (int i = 0; i < count; ++i) {
    if (later[i] < 0) continue;
    const auto g = static_cast<size_t>(draft.group_of[i]), h = static_cast<size_t>(later[i]);
    int& of_pair = first[g * draft.groups.size() + h];
    if (of_pair < 0) of_pair = i;
    after[i] = last_anchor(draft, static_cast<int>(g), static_cast<int>(h), of_pair, later);
    any |= after[i] >= 0;
  }
  return any ? after : std::vector<int>{};
}

}  // namespace tessera::plan
