/// ByteGrid: the bytes of a memory as points with one coordinate for each pitch its boxes repeat by, so that strided
/// boxes become boxes of neighbours, which can be cut and compared.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "tessera/plan/plan.h"

namespace tessera::plan {

inline constexpr int most_pitches = 3;

/// From `start`, `size` coordinates along each axis; the last axis counts bytes.
struct GridBox {
  std::array<int64_t, most_pitches + 1> start{};
  std::array<int64_t, most_pitches + 1> size{1, 1, 1, 1};
};

/// What both have in common; nothing when that is empty.
std::optional<GridBox> intersect(const GridBox& a, const GridBox& b);
/// Appends boxes that cover `a` without `b` and do not meet.
void subtract(const GridBox& a, const GridBox& b, std::vector<GridBox>& rest);

class ByteGrid {
 public:
  /// Nothing unless each pitch, the widest first, is a multiple of the next.
  static std::optional<ByteGrid> make(std::vector<int64_t> pitches);

  /// Appends the boxes that `box` consists of; false when it has none, such as one whose rows go around a pitch.
  bool add_boxes(const ByteBox& box, std::vector<GridBox>& boxes) const;
  /// The same points `distance` bytes further on, when they are a box again.
  std::optional<GridBox> shift(const GridBox& box, int64_t distance) const;
  int64_t offset(const GridBox& box) const;
  /// Axes of one coordinate left out, and those that go on where the next one ends.
  ByteBox to_bytes(const GridBox& box) const;

 private:
  int64_t pitch(int axis) const { return pitches_[static_cast<size_t>(axis)]; }
  /// Coordinates an axis has.
  int64_t extent(int axis) const;
  std::array<int64_t, most_pitches + 1> pitches_{};  // the last is 1
};

}  // namespace tessera::plan
