/// Operands: what a launch says of a kernel's lanes and of the memory behind its buffers.
#pragma once

#include <vector>

#include "tessera/ir/kernel.h"
#include "tessera/layout/view.h"

namespace tessera::mapping {

struct Operands {
  Dims extents;                    // of the parallel space
  std::vector<Dims> strides;       // bytes, by buffer
  std::vector<int> memory{};       // by buffer, the number of the memory in which it lies; empty: each has its own
  std::vector<int64_t> offsets{};  // bytes of its first element in that memory
  bool in_words = false;           // the code generator packs lanes of one or two bytes into words
  bool in_parts = false;           // launches cover parts of the first axis

  /// Whether a buffer may share elements with another one, one of the two being a result.
  bool may_share(const ir::Kernel& kernel, size_t buffer) const {
    for (size_t other = 0; other < memory.size(); ++other)
      if (other != buffer && memory[other] == memory[buffer] &&
          (kernel.buffers[other].writable || kernel.buffers[buffer].writable))
        return true;
    return false;
  }
};

}  // namespace tessera::mapping
