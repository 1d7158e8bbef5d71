/// Operands: what a launch says of a kernel's lanes and of the memory behind its buffers.
#pragma once

#include <vector>

#include "tessera/layout/view.h"

namespace tessera::mapping {

struct Operands {
  Dims extents;               // of the parallel space
  std::vector<Dims> strides;  // bytes, by buffer
  /// By buffer: whether it may share elements with another one, of which one is a result. Empty: none does.
  std::vector<bool> shares{};
  bool in_parts = false;  // launches cover parts of the first axis

  bool may_share(size_t buffer) const { return buffer < shares.size() && shares[buffer]; }
};

}  // namespace tessera::mapping
