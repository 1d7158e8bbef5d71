/// clip_boxes: the parts of strided boxes of bytes that lie in a range.
#pragma once

#include <vector>

#include "tessera/plan/plan.h"
#include "tessera/tile/ranges.h"

namespace tessera::engine {

/// From a box's first byte to the end of its last.
tile::Range range_of(const plan::ByteBox& box);
std::vector<plan::ByteBox> clip_boxes(const std::vector<plan::ByteBox>& boxes, const tile::Range& range);

}  // namespace tessera::engine
