#include <algorithm>

#include "tessera/plan/draft.h"
#include "tessera/plan/untouched.h"

namespace tessera::plan {

namespace {

/// Copies what the old version holds outside the written view, for renamed writes.
std::vector<CopyStep> copies_for(Draft& draft, const Group& group) {
  std::vector<CopyStep> copies;
  for (int i : group.nodes) {
    const graph::Node& node = draft.node(i);
    if (node.form->kind != graph::NodeKind::write || draft.write_mode[i] != WriteMode::rename) continue;
    CopyStep copy{
        .from = draft.use(node.old.get()).slot, .to = draft.use(node.out.get()).slot, .node = i, .offset = node.offset};
    copy.boxes = untouched_boxes(output_view(node), node.out->nbytes);
    if (!copy.boxes.empty()) copies.push_back(std::move(copy));
  }
  return copies;
}

}  // namespace

void lower_groups(Draft& draft) {
  for (size_t g = 0; g < draft.groups.size(); ++g) {
    const Group& group = draft.groups[g];
    if (group.nodes.empty()) continue;
    if (std::find(group.shape.begin(), group.shape.end(), 0) != group.shape.end() && group.reduction < 0) {
      continue;  // no element to compute; results still get their (empty) memory
    }
    const size_t first = draft.plan.steps.size();
    if (group.reduction >= 0) {
      lower_reduction(draft, static_cast<int>(g));
    } else {
      lower_map(draft, static_cast<int>(g));
    }
    draft.plan.steps[first].copies = copies_for(draft, group);
  }
}

}  // namespace tessera::plan
