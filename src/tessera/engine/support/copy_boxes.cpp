#include "tessera/engine/support/copy_boxes.h"
#include "tessera/engine/support/limits.h"

#include <cstring>

#include "tessera/runtime/host/threads.h"

namespace tessera::engine {

using plan::ByteBox;

namespace {

void copy_from_axis(const char* from, char* to, const ByteBox& box, size_t axis) {
  if (axis == box.counts.size()) {
    std::memcpy(to, from, static_cast<size_t>(box.nbytes));
    return;
  }
  for (int64_t k = 0; k < box.counts[axis]; ++k) {
    copy_from_axis(from + k * box.strides[axis], to + k * box.strides[axis], box, axis + 1);
  }
}

}  // namespace

void copy_box(const char* from, char* to, const ByteBox& box) {
  copy_from_axis(from + box.offset, to + box.offset, box, 0);
}

void copy_boxes(const char* from, char* to, const std::vector<ByteBox>& boxes) {
  for (const ByteBox& box : boxes) {
    if (box.counts.empty() && box.nbytes > HostLimits::copied_piece) {
      auto body = [&](int64_t begin, int64_t end) {
        std::memcpy(to + box.offset + begin, from + box.offset + begin, static_cast<size_t>(end - begin));
      };
      runtime::parallel_for(box.nbytes, HostLimits::copied_piece, body);
    } else {
      copy_box(from, to, box);
    }
  }
}

}  // namespace tessera::engine
