/// Access: which bytes of an array a step's lanes touch, as a function of their index along its outermost axis.
#pragma once

#include <cstdint>

#include "tessera/tile/ranges.h"

namespace tessera::tile {

/// Lane l touches the elements [l * elements, (l + 1) * elements) of one axis of a buffer, and everything along the
/// others.
struct Access {
  int32_t slot = -1;
  bool writes = false;
  int64_t offset = 0;    // byte of the element whose indices are all 0
  int64_t stride = 0;    // bytes between elements of that axis
  int64_t elements = 0;  // a lane's; 0: every lane touches the whole buffer
  int64_t length = 1;    // elements of that axis
  Range inside;          // the bytes of one of its elements along the other axes, from the first one on

  /// The smallest range with all bytes that these lanes touch.
  Range bytes(int64_t begin, int64_t end) const;
  /// The bytes between a lane and the next.
  int64_t step() const { return stride * elements; }
  /// Whether no two lanes' ranges overlap, so that each may be of another place.
  bool is_separable() const { return elements > 0 && std::abs(step()) >= inside.size(); }
  /// The lanes of `lanes` that begin in these bytes: [begin, end).
  Range lanes_in(const Range& bytes, int64_t lanes) const;
  /// Those that touch any of these bytes, and perhaps some next to them.
  Range lanes_touching(const Range& bytes, int64_t lanes) const;
};

}  // namespace tessera::tile
