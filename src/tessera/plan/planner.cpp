#include "tessera/plan/planner.h"

#include <unordered_map>

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
  std::unordered_map<const Version*, uint32_t> held;
  for (int i = 0; i < count; ++i) {
    const Node& node = request.node(i);
    ++held[node.out.get()];
    if (node.old) ++held[node.old.get()];
    for (int k = 0; k < node.input_count; ++k) {
      if (node.inputs[k].version) ++held[node.inputs[k].version.get()];
    }
  }
  for (int i = 0; i < count; ++i) {
    const Node& node = request.node(i);
    request.live[i] = node.out->references() > held[node.out.get()];
    if (node.old) request.shared[i] = node.old->references() > held[node.old.get()];
  }
  return request;
}

uint64_t structural_key(const Request& request) {
  // Versions are named by order of first appearance; offsets count only as distances between views of one version.
  struct Seen {
    uint64_t number;
    int64_t offset;
  };
  std::unordered_map<const Version*, Seen> seen;
  seen.reserve(static_cast<size_t>(request.size()) * 2);
  Hash hash;
  hash.add(static_cast<uint64_t>(request.size()));
  auto add = [&](const Version* version, int64_t offset) {
    auto [at, fresh] = seen.try_emplace(version, Seen{seen.size(), offset});
    hash.add(at->second.number);
    hash.add(static_cast<uint64_t>(offset - at->second.offset));
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
