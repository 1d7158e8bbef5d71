/// ByteGrid: the bytes of a memory as points with one coordinate for each pitch at which its boxes repeat, so that
/// strided boxes become boxes of adjacent points, which can be cut and compared.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "tessera/plan/limits.h"
#include "tessera/plan/plan.h"

namespace tessera::plan {

inline constexpr int most_pitches = MoveLimits::most_pitches;

/// A box from `start` with `size` points along each axis; the last axis counts bytes.
struct GridBox {
  std::array<int64_t, most_pitches + 1> start{};
  std::array<int64_t, most_pitches + 1> size{1, 1, 1, 1};
};

/// The intersection; empty optional when there is none.
std::optional<GridBox> intersect(const GridBox& a, const GridBox& b);
/// Appends disjoint boxes that cover `a` without `b`.
void subtract(const GridBox& a, const GridBox& b, std::vector<GridBox>& rest);

class ByteGrid {
 public:
  /// Empty unless each pitch, in descending order, is a multiple of the next.
  static std::optional<ByteGrid> make(std::vector<int64_t> pitches);

  /// Appends the grid boxes that `box` consists of; false when it cannot be expressed, for example when a row wraps
  /// around a pitch.
  bool add_boxes(const ByteBox& box, std::vector<GridBox>& boxes) const;
  /// The same points `distance` bytes further, if they are a box again.
  std::optional<GridBox> shift(const GridBox& box, int64_t distance) const;
  int64_t offset(const GridBox& box) const;
  /// Leaves out axes of one point and merges contiguous axes.
  ByteBox to_bytes(const GridBox& box) const;

 private:
  int64_t pitch(int axis) const { return pitches_[static_cast<size_t>(axis)]; }
  /// Number of points along an axis.
  int64_t extent(int axis) const;
  std::array<int64_t, most_pitches + 1> pitches_{};  // the last one is 1
};

}  // namespace tessera::plan
