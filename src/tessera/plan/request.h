/// Request: the nodes of a window that become one plan, and which of their versions are needed after them.
#pragma once

#include <cstdint>

#include "tessera/base/small_vector.h"
#include "tessera/graph/window.h"

namespace tessera::plan {

/// The nodes [begin, end) of a window. `live[i]`: the output of node begin + i is needed after them; `shared[i]`: the
/// `old` version of write node begin + i is needed after them, or belongs to two storages. `dead[i]`: a bit for each
/// operand of a map node, and one more for the `old` of a write, whose version existed before and is not needed after
/// them.
struct Request {
  const graph::Window& window;
  int64_t begin = 0;
  int64_t end = 0;
  SmallVector<bool, 128> live;
  SmallVector<bool, 128> shared;
  SmallVector<uint16_t, 128> dead;
  bool pinned = false;  // some node writes memory shared with other code
  uint64_t key = 0;     // requests with equal keys can use one plan, with other memory, offsets and scalars bound to it

  int size() const { return static_cast<int>(end - begin); }
  const graph::Node& node(int i) const { return window[begin + i]; }
  /// The node of this request that makes the version, or -1.
  int producer(const graph::Version* version) const;
};

/// Fills in the request from the reference counts of the versions.
Request make_request(const graph::Window& window, int64_t begin, int64_t end);

}  // namespace tessera::plan
