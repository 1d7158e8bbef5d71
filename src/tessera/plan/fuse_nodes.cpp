#include <algorithm>
#include <tuple>

#include "tessera/base/error.h"
#include "tessera/plan/draft.h"
#include "tessera/plan/early_nodes.h"
#include "tessera/plan/limits.h"

namespace tessera::plan {

using graph::Node;
using graph::NodeKind;

namespace {

/// The first group that a node may join.
struct Bound {
  int first = 0;

  void after(int group) { first = std::max(first, group + 1); }
  void not_before(int group) { first = std::max(first, group); }
};

bool same_elements(const Node& a, int j, const Node& b, int k) {
  return a.inputs[j].version == b.inputs[k].version && a.inputs[j].offset == b.inputs[k].offset &&
         a.form->inputs[j] == b.form->inputs[k];
}

/// Whether some node of the group already loads the elements of operand k of `other`.
bool loads(const Draft& draft, const Group& group, const Node& other, int k) {
  for (int i : group.nodes) {
    const Node& node = draft.node(i);
    for (int j = 0; j < node.form->input_count; ++j) {
      if (same_elements(node, j, other, k)) return true;
    }
  }
  return false;
}

/// Loads and stores the node adds to the group's kernel. A result read only by nodes of the window needs none.
int added_accesses(const Draft& draft, const Group& group, const Node& node) {
  int count = draft.use(node.out.get()).live || node.form->kind == NodeKind::write;
  for (int k = 0; k < node.form->input_count; ++k) {
    count += node.inputs[k].version && aligned_producer(draft, node, k) < 0 && !loads(draft, group, node, k);
  }
  return count;
}

/// Every operand must be computed by an earlier group, or by the same group at the same element.
Bound bound_by_operands(const Draft& draft, const Node& node) {
  Bound bound;
  for (int k = 0; k < node.form->input_count; ++k) {
    if (!node.inputs[k].version) continue;
    const int p = draft.request.producer(node.inputs[k].version.get());
    if (p < 0) continue;
    if (node.form->kind != NodeKind::reduce && aligned_producer(draft, node, k) >= 0) {
      bound.not_before(draft.group_of[p]);
    } else {
      bound.after(draft.group_of[p]);
    }
  }
  return bound;
}

enum class Hazard : uint8_t { none, same_kernel_reads_elsewhere };

/// Whether the kernel of `group`, with node `extra`, reads the version that write `w` replaces at other elements than
/// `w` writes.
Hazard read_hazard(const Draft& draft, const Group& group, const Node& w, const Node* extra) {
  const View target = output_view(w);
  auto check = [&](const Node& reader) {
    for (int k = 0; k < reader.form->input_count; ++k) {
      if (reader.inputs[k].version != w.old) continue;
      const Overlap relation = overlap(operand_view(reader, k), target);
      if (relation != Overlap::equal && relation != Overlap::disjoint) return true;
    }
    return false;
  };
  for (int i : group.nodes) {
    if (check(draft.node(i))) return Hazard::same_kernel_reads_elsewhere;
  }
  return extra && check(*extra) ? Hazard::same_kernel_reads_elsewhere : Hazard::none;
}

/// Whether the old version is needed after write i: it is live, or a later node reads it or writes over it.
bool old_lives_on(const Draft& draft, int i) {
  const VersionUse& old = draft.use(draft.node(i).old.get());
  if (old.live) return true;
  const auto later = [i](int j) { return j > i; };
  return std::any_of(old.readers.begin(), old.readers.end(), later) ||
         std::any_of(old.writers.begin(), old.writers.end(), later);
}

bool worth_renaming(const Node& w) {
  int64_t written = itemsize(w.form->dtype);
  for (int64_t extent : w.form->shape) written *= extent;
  return !w.form->pinned && MemoryLimits::written_parts * written >= w.old->nbytes;
}

class Fuser {
 public:
  /// Requires node i to come after the group of node after[i], where that is not -1.
  Fuser(Draft& draft, const std::vector<int>& after) : draft_(draft), after_(after) {}

  void run() {
    for (int i = 0; i < draft_.request.size(); ++i) {
      const Node& node = draft_.node(i);
      if (node.starts_iteration) iteration_ = group_count();
      if (draft_.group_of[i] < 0) continue;
      switch (node.form->kind) {
        case NodeKind::map: place_map(i, node); break;
        case NodeKind::write: place_write(i, node); break;
        case NodeKind::reduce: place_reduction(i, node); break;
        case NodeKind::call: invariant(false, "a call in a plan");
      }
      if (draft_.notes_apart && node.form->kind != NodeKind::reduce) note_apart(i, node);
    }
    join_reductions(draft_);
  }

 private:
  /// Why the node cannot join the group; null where it can.
  const char* refusal(int g, const Node& node) const {
    const Group& group = draft_.groups[g];
    if (group.reduction >= 0) return apart_by_reduction;
    if (group.shape != node.form->shape) return "the shapes differ";
    if (group.nodes.size() >= FusionLimits::most_nodes_a_group) return "the kernel has its most nodes (limits.h)";
    if (group.accesses + added_accesses(draft_, group, node) > FusionLimits::most_accesses_a_group)
      return "the kernel would have too many loads and stores (limits.h)";
    return nullptr;
  }
  bool fits(int g, const Node& node) const { return !refusal(g, node); }

  void join(int i, int g) {
    Group& group = draft_.groups[g];
    group.accesses += added_accesses(draft_, group, draft_.node(i));
    group.nodes.push_back(i);
    draft_.group_of[i] = g;
  }

  void open(int i, const Node& node) {
    draft_.groups.push_back({.shape = node.form->shape});
    join(i, static_cast<int>(draft_.groups.size()) - 1);
  }

  int group_count() const { return static_cast<int>(draft_.groups.size()); }

  void place_map(int i, const Node& node) {
    Bound bound = bound_by_operands(draft_, node);
    if (!after_.empty() && after_[i] >= 0) bound.after(draft_.group_of[after_[i]]);
    for (int g = std::max(iteration_, bound.first); g < group_count(); ++g) {
      if (fits(g, node)) return join(i, g);
    }
    open(i, node);
  }

  void place_write(int i, const Node& node) {
    Bound bound = bound_by_operands(draft_, node);
    const VersionUse& old = draft_.use(node.old.get());
    if (old.producer >= 0) bound.after(draft_.group_of[old.producer]);
    const bool must_rename = old_lives_on(draft_, i);
    if (!must_rename) {
      // In-place stores come after all reads of the old version, or in their kernel at exactly the elements it reads.
      for (int reader : old.readers) {
        if (reader < i) bound.not_before(draft_.group_of[reader]);
      }
      // They also come after renamed writes of other arrays that shared the version: these copy what they leave
      // untouched.
      for (int writer : old.writers) {
        if (writer < i) bound.not_before(draft_.group_of[writer]);
      }
    }
    for (int g = std::max(iteration_, bound.first); g < group_count(); ++g) {
      if (!fits(g, node)) continue;
      const bool hazard = read_hazard(draft_, draft_.groups[g], node, &node) != Hazard::none;
      if (hazard && !must_rename && !worth_renaming(node)) continue;
      draft_.write_mode[i] = must_rename || hazard ? WriteMode::rename : WriteMode::in_place;
      return join(i, g);
    }
    open(i, node);
    const bool hazard = read_hazard(draft_, draft_.groups.back(), node, nullptr) != Hazard::none;
    draft_.write_mode[i] = must_rename || hazard ? WriteMode::rename : WriteMode::in_place;
  }

  void place_reduction(int i, const Node& node) {
    open(i, node);
    draft_.groups.back().reduction = i;
  }

  /// Why node i, which reads what another group made of node p, is not in that group.
  const char* why_apart(int i, int k, int p) const {
    const Node& node = draft_.node(i);
    const int g = draft_.group_of[p];
    if (draft_.node(p).form->kind == NodeKind::reduce) return apart_by_reduction;
    if (aligned_producer(draft_, node, k) < 0) return apart_by_elements;
    if (g < iteration_) return "an iteration of the loop begins between them";
    if (const char* refused = refusal(g, node)) return refused;
    if (node.form->kind == NodeKind::write && read_hazard(draft_, draft_.groups[g], node, nullptr) != Hazard::none)
      return "the kernel reads other elements of the array that would be written in place";
    if (!after_.empty() && after_[i] >= 0) return "fewer bytes move where it is computed later";
    return "another operand, or an array that it writes to, comes from a later kernel";
  }

  void note_apart(int i, const Node& node) {
    for (int k = 0; k < node.form->input_count; ++k) {
      const int p = node.inputs[k].version ? draft_.request.producer(node.inputs[k].version.get()) : -1;
      if (p < 0 || draft_.group_of[p] == draft_.group_of[i]) continue;
      const Apart apart{.reader = i, .producer = p, .why = why_apart(i, k, p)};
      if (draft_.apart.empty() || draft_.apart.back() != apart) draft_.apart.push_back(apart);
    }
  }

  Draft& draft_;
  const std::vector<int>& after_;
  int iteration_ = 0;  // the first group that nodes of this iteration may join
};

}  // namespace

/// Nodes join the first group that accepts them. Nodes computed too early, only for a later group to read, are moved
/// later where that reduces the bytes moved.
void fuse_nodes(Draft& draft) {
  Fuser(draft, {}).run();
  for (int64_t moved = moved_bytes(draft); moved >= FusionLimits::much_to_move;) {
    const std::vector<int> after = find_early_nodes(draft);
    if (after.empty()) return;
    const auto before = std::tuple(draft.groups, draft.group_of, draft.write_mode, draft.apart);
    draft.groups.clear();
    draft.apart.clear();
    Fuser(draft, after).run();
    const int64_t moved_now = moved_bytes(draft);
    if (moved_now >= moved) {
      std::tie(draft.groups, draft.group_of, draft.write_mode, draft.apart) = before;
      return;
    }
    moved = moved_now;
  }
}

}  // namespace tessera::plan
