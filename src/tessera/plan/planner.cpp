#include "tessera/plan/planner.h"

#include "tessera/base/hash.h"
#include "tessera/plan/draft.h"
#include "tessera/plan/wave.h"

namespace tessera::plan {

using graph::Node;
using graph::NodeKind;
using graph::Version;

int Request::producer(const Version* version) const {
  if (version->window != &window) return -1;
  return version->producer >= begin && version->producer < end ? static_cast<int>(version->producer - begin) : -1;
}

Request make_request(const graph::Window& window, int64_t begin, int64_t end) {
  Request request{.window = window, .begin = begin, .end = end};
  const int count = request.size();
  request.live.resize(static_cast<size_t>(count));
  request.shared.resize(static_cast<size_t>(count));
  request.spent.resize(static_cast<size_t>(count));
  // Wanted by a later node, or by somebody else: it has more references than these nodes hold.
  auto outlives = [&](const Version& version, uint32_t own) {
    const bool ends_here = version.user == &window && version.last.window == &window &&
                           version.last.place < graph::Window::place(end);
    if (version.uses > 0 && !ends_here) return true;
    return version.references() > own + static_cast<uint32_t>(version.uses);
  };
  auto is_spent = [&](const Version* version) {
    return version && version->window == nullptr && !version->foreign && !outlives(*version, 0);
  };
  for (int i = 0; i < count; ++i) {
    const Node& node = request.node(i);
    request.live[i] = outlives(*node.out, 1);
    if (node.form->kind == NodeKind::map) {
      for (int k = 0; k < node.form->input_count; ++k) request.spent[i] |= is_spent(node.inputs[k].version.get()) << k;
    }
    if (!node.form->pinned && is_spent(node.old.get())) request.spent[i] |= 1 << graph::max_inputs;
    if (node.old) request.shared[i] = outlives(*node.old, request.producer(node.old.get()) >= 0 ? 1 : 0);
  }
  return request;
}

uint64_t structural_key(const Request& request) {
  SumHash hash;
  for (int i = 0; i < request.size(); ++i) {
    hash.add(request.node(i).key ^
             (uint64_t{request.live[i]} | uint64_t{request.shared[i]} << 1 | uint64_t{request.spent[i]} << 2));
  }
  return hash.value();
}

Plan make_plan(const Request& request, int64_t wave_bytes) {
  Draft draft{.request = request};
  find_versions(draft);
  fuse_nodes(draft);
  assign_slots(draft);
  lower_groups(draft);
  schedule_memory(draft);
  find_waves(draft.plan, wave_bytes);
  return std::move(draft.plan);
}

}  // namespace tessera::plan
