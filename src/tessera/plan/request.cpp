#include "tessera/plan/request.h"

#include "tessera/base/hash.h"

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
  const auto count = static_cast<size_t>(request.size());
  request.live.resize_for_overwrite(count);
  request.shared.resize_for_overwrite(count);
  request.dead.resize_for_overwrite(count);
  bool* const live = request.live.data();
  bool* const shared = request.shared.data();
  uint16_t* const dead = request.dead.data();
  const int64_t end_place = graph::Window::place(end);
  // Whether a later node or another owner needs the version: it has more references than these nodes hold.
  auto outlives = [&](const Version& version, uint32_t own) {
    if (version.references() > own + static_cast<uint32_t>(version.uses)) return true;
    return version.uses > 0 &&
           !(version.user == &window && version.last.window == &window && version.last.place < end_place);
  };
  SumHash hash;
  // The plan may give a result the memory of a dead operand by its size, which the nodes' keys do not tell where an
  // earlier node, perhaps of another request, mentioned it.
  auto is_dead = [&](const Version& version) {
    const bool is_free = version.window == nullptr && !version.foreign && !outlives(version, 0);
    if (is_free) hash.add(static_cast<uint64_t>(version.nbytes));
    return is_free;
  };
  bool pinned = false;
  for (size_t i = 0; i < count; ++i) {
    const Node& node = window[begin + static_cast<int64_t>(i)];
    const graph::Form& form = *node.form;
    live[i] = outlives(*node.out, 1);
    shared[i] = false;
    unsigned free = 0;
    if (form.kind == NodeKind::map) {
      for (int k = 0; k < form.input_count; ++k) {
        if (const Version* version = node.inputs[k].version.get()) free |= unsigned{is_dead(*version)} << k;
      }
    } else if (const Version* old = node.old.get()) {
      if (!form.pinned) free |= unsigned{is_dead(*old)} << graph::max_inputs;
      shared[i] = outlives(*old, request.producer(old) >= 0 ? 1 : 0);
    }
    dead[i] = static_cast<uint16_t>(free);
    pinned |= form.pinned;
    hash.add(node.key ^ (uint64_t{live[i]} | uint64_t{shared[i]} << 1 | uint64_t{dead[i]} << 2));
  }
  request.pinned = pinned;
  request.key = hash.value();
  return request;
}

}  // namespace tessera::plan
