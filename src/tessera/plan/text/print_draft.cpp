#include <algorithm>
#include <sstream>

#include "tessera/plan/early_nodes.h"
#include "tessera/plan/text/draft_text.h"

namespace tessera::plan {

namespace {

/// The indices for which the condition holds, after a heading; nothing where there are none.
template <class Condition>
void print_where(std::ostringstream& out, const char* heading, size_t count, Condition&& holds) {
  bool any = false;
  for (size_t k = 0; k < count; ++k) {
    if (!holds(k)) continue;
    if (!any) out << heading;
    out << ' ' << k;
    any = true;
  }
  if (any) out << '\n';
}

void print_nodes(std::ostringstream& out, const char* heading, const std::vector<int>& nodes) {
  if (nodes.empty()) return;
  out << heading;
  for (const int node : nodes) out << ' ' << node;
}

void print_found_at(std::ostringstream& out, NodeRef ref) {
  if (ref.input < 0)
    out << "old of node " << ref.node;
  else
    out << "operand " << ref.input << " of node " << ref.node;
}

}  // namespace

std::string print_versions(const Draft& draft) {
  std::ostringstream out;
  for (const VersionUse& use : draft.versions) {
    if (use.producer >= 0)
      out << "result of node " << use.producer;
    else
      print_found_at(out, use.external);
    out << ": " << use.nbytes << " bytes";
    print_nodes(out, ", read by", use.readers);
    print_nodes(out, ", written by", use.writers);
    out << (use.live ? ", live" : "") << (use.dead ? ", dead" : "") << '\n';
  }
  print_where(out, "not needed:", draft.group_of.size(), [&](size_t i) { return draft.group_of[i] < 0; });
  return std::move(out).str();
}

std::string print_groups(const Draft& draft) {
  std::ostringstream out;
  for (size_t g = 0; g < draft.groups.size(); ++g) {
    const Group& group = draft.groups[g];
    out << "group " << g << " over " << group.shape << ':';
    if (group.nodes.empty()) out << " moved into a reduction";
    print_nodes(out, " nodes", group.nodes);
    if (group.reduction >= 0)
      out << ", reduced by " << group.reduction;
    else if (!group.nodes.empty())
      out << ", loads and stores " << group.accesses;
    out << '\n';
  }
  const auto writes = [&](size_t i, WriteMode mode) {
    const bool is_write = draft.node(static_cast<int>(i)).form->kind == graph::NodeKind::write;
    return is_write && draft.group_of[i] >= 0 && draft.write_mode[i] == mode;
  };
  const size_t count = draft.group_of.size();
  print_where(out, "in place:", count, [&](size_t i) { return writes(i, WriteMode::in_place); });
  print_where(out, "renamed:", count, [&](size_t i) { return writes(i, WriteMode::rename); });
  return std::move(out).str();
}

std::string print_apart(const Draft& draft) {
  std::ostringstream out;
  for (const auto& [reader, producer, why] : draft.apart)
    out << "node " << reader << " is not in the kernel of node " << producer << ": " << why << '\n';
  return std::move(out).str();
}

std::string print_early_nodes(const Draft& draft) {
  std::ostringstream out;
  const std::vector<int> after = find_early_nodes(draft);
  for (size_t i = 0; i < after.size(); ++i)
    if (after[i] >= 0) out << "node " << i << " of group " << draft.group_of[i] << ": after node " << after[i] << '\n';
  if (after.empty()) out << "no early nodes\n";
  out << moved_bytes(draft) << " bytes moved\n";
  return std::move(out).str();
}

std::string print_slots(const Draft& draft) {
  std::ostringstream out;
  for (size_t s = 0; s < draft.plan.slots.size(); ++s) {
    const Slot& slot = draft.plan.slots[s];
    out << 'm' << s << ": " << slot.nbytes << " bytes";
    if (slot.external.node >= 0) out << ", ", print_found_at(out, slot.external);
    out << (slot.kept ? ", kept" : "") << '\n';
  }
  for (int i = 0; i < draft.request.size(); ++i) {
    if (draft.group_of[i] < 0) continue;
    const int slot = draft.use(draft.node(i).out.get()).slot;
    out << "node " << i;
    if (draft.stored[i])
      out << " in m" << slot << (draft.plan.result_slots[i] >= 0 ? ", a result\n" : "\n");
    else
      out << " is not stored\n";
  }
  return std::move(out).str();
}

}  // namespace tessera::plan
