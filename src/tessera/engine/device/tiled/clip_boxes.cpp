#include "tessera/engine/device/tiled/clip_boxes.h"

#include <algorithm>

namespace tessera::engine {

using plan::ByteBox;

tile::Range range_of(const ByteBox& box) {
  tile::Range range{box.offset, box.offset + box.nbytes};
  for (size_t axis = 0; axis < box.counts.size(); ++axis) {
    if (box.counts[axis] == 0) return {};
    const int64_t reach = (box.counts[axis] - 1) * box.strides[axis];
    (reach < 0 ? range.begin : range.end) += reach;
  }
  return range;
}

namespace {

/// Box `index` of those that a box repeats along its first axis.
ByteBox repetition(const ByteBox& box, int64_t index) {
  const auto rest = [](const Dims& all) { return Dims(std::span(all.begin() + 1, all.size() - 1)); };
  return {.offset = box.offset + index * box.strides[0],
          .counts = rest(box.counts),
          .strides = rest(box.strides),
          .nbytes = box.nbytes};
}

void clip(const ByteBox& box, const tile::Range& range, std::vector<ByteBox>& parts) {
  const tile::Range all = range_of(box);
  if (intersect(all, range).empty()) return;
  if (range.contains(all)) return parts.push_back(box);
  if (box.counts.empty()) {
    const tile::Range part = intersect(all, range);
    return parts.push_back({.offset = part.begin, .counts = {}, .strides = {}, .nbytes = part.size()});
  }
  for (int64_t index = 0; index < box.counts[0];) {
    // Repetitions that lie in the range as a whole stay together.
    const auto is_inside = [&](int64_t k) { return range.contains(range_of(repetition(box, k))); };
    int64_t low = index, high = box.counts[0];
    if (is_inside(index)) {
      while (high - low > 1) {
        const int64_t middle = low + (high - low) / 2;
        (is_inside(middle) ? low : high) = middle;
      }
      ByteBox together = box;
      together.offset += index * box.strides[0];
      together.counts[0] = high - index;
      parts.push_back(together);
      index = high;
    } else {
      const auto is_outside = [&](int64_t k) { return intersect(range_of(repetition(box, k)), range).empty(); };
      if (!is_outside(index)) {
        clip(repetition(box, index++), range, parts);
        continue;
      }
      // The next one that is not outside: positions along the axis only rise or only fall.
      const tile::Range at = range_of(repetition(box, index));
      const bool is_before = box.strides[0] > 0 ? at.end <= range.begin : at.begin >= range.end;
      if (!is_before) return;
      while (high - low > 1) {
        const int64_t middle = low + (high - low) / 2;
        const tile::Range there = range_of(repetition(box, middle));
        const bool still = box.strides[0] > 0 ? there.end <= range.begin : there.begin >= range.end;
        (still ? low : high) = middle;
      }
      index = high;
    }
  }
}

}  // namespace

std::vector<ByteBox> clip_boxes(const std::vector<ByteBox>& boxes, const tile::Range& range) {
  std::vector<ByteBox> parts;
  for (const ByteBox& box : boxes) clip(box, range, parts);
  return parts;
}

}  // namespace tessera::engine
