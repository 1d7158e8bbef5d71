#include "tessera/plan/planner.h"

#include "tessera/base/hash.h"
#include "tessera/plan/draft.h"

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
  request.live.assign(count, false);
  request.shared.assign(count, false);
  // A version is wanted by somebody else when it has more references than these nodes hold.
  const uint64_t pass = Version::new_pass();
  auto hold = [pass](const Ref<Version>& version) {
    if (!version) return;
    Version::Mark& mark = version->mark;
    if (mark.pass != pass) mark = {.pass = pass};
    ++mark.held;
  };
  for (int i = 0; i < count; ++i) {
    const Node& node = request.node(i);
    hold(node.out);
    hold(node.old);
    for (int k = 0; k < node.input_count; ++k) hold(node.inputs[k].version);
  }
  auto outlives = [](const Version& version) { return version.references() > version.mark.held; };
  for (int i = 0; i < count; ++i) {
    const Node& node = request.node(i);
    request.live[i] = outlives(*node.out);
    if (node.old) request.shared[i] = outlives(*node.old);
  }
  return request;
}

uint64_t structural_key(const Request& request) {
  // Versions are named by order of first appearance; offsets count only as distances between views of one version.
  const uint64_t pass = Version::new_pass();
  uint32_t seen = 0;
  Hash hash;
  auto add = [&](const Version* version, int64_t offset) {
    Version::Mark& mark = version->mark;
    const bool fresh = mark.pass != pass;
    if (fresh) mark = {.pass = pass, .number = seen++, .anchor = offset};
    hash.add(mark.number | static_cast<uint64_t>(offset - mark.anchor) << 24);
    if (fresh) hash.add(static_cast<uint64_t>(version->nbytes) << 1 | (request.producer(version) >= 0));
  };
  for (int i = 0; i < request.size(); ++i) {
    const Node& node = request.node(i);
    hash.add(node.hash);
    for (int k = 0; k < node.input_count; ++k) {
      if (node.inputs[k].version) add(node.inputs[k].version.get(), node.inputs[k].offset);
    }
    if (node.old) add(node.old.get(), node.offset);
    add(node.out.get(), node.offset);
    hash.add(uint64_t{request.live[i]} | uint64_t{request.shared[i]} << 1);
  }
  return hash.value();
}

Plan make_plan(const Request& request) {
  Draft draft{.request = request};
  find_versions(draft);
  fuse_nodes(draft);
  assign_slots(draft);
  lower_groups(draft);
  schedule_memory(draft);
  return std::move(draft.plan);
}

}  // namespace tessera::plan
