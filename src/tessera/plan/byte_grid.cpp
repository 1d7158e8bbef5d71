#include "tessera/plan/byte_grid.h"

#include <algorithm>
#include <functional>
#include <limits>

namespace tessera::plan {

namespace {
constexpr int axes = most_pitches + 1;
}  // namespace

std::optional<GridBox> intersect(const GridBox& a, const GridBox& b) {
  GridBox both;
  for (size_t axis = 0; axis < axes; ++axis) {
    both.start[axis] = std::max(a.start[axis], b.start[axis]);
    both.size[axis] = std::min(a.start[axis] + a.size[axis], b.start[axis] + b.size[axis]) - both.start[axis];
    if (both.size[axis] <= 0) return {};
  }
  return both;
}

void subtract(const GridBox& a, const GridBox& b, std::vector<GridBox>& rest) {
  const std::optional<GridBox> both = intersect(a, b);
  if (!both) return rest.push_back(a);
  GridBox left = a;  // what is not cut off yet; along the axes before this one it has the extent of `both`
  for (size_t axis = 0; axis < axes; ++axis) {
    const int64_t end = left.start[axis] + left.size[axis], inner_end = both->start[axis] + both->size[axis];
    if (both->start[axis] > left.start[axis]) {
      rest.push_back(left);
      rest.back().size[axis] = both->start[axis] - left.start[axis];
    }
    if (inner_end < end) {
      rest.push_back(left);
      rest.back().start[axis] = inner_end;
      rest.back().size[axis] = end - inner_end;
    }
    left.start[axis] = both->start[axis];
    left.size[axis] = both->size[axis];
  }
}

std::optional<ByteGrid> ByteGrid::make(std::vector<int64_t> pitches) {
  std::sort(pitches.begin(), pitches.end(), std::greater<>());
  pitches.erase(std::unique(pitches.begin(), pitches.end()), pitches.end());
  if (pitches.size() > most_pitches) return {};
  ByteGrid grid;
  // Surplus axes have one point.
  const int64_t widest = pitches.empty() ? int64_t{1} << 40 : pitches.front();
  grid.pitches_.fill(widest);
  for (size_t k = 0; k < pitches.size(); ++k) {
    if (pitches[k] <= 1 || (k > 0 && pitches[k - 1] % pitches[k] != 0)) return {};
    grid.pitches_[most_pitches - pitches.size() + k] = pitches[k];
  }
  grid.pitches_[most_pitches] = 1;
  return grid;
}

int64_t ByteGrid::extent(int axis) const {
  // The outermost pitch is unbounded; among equal pitches it is the last one.
  const bool is_outermost = pitch(axis) == pitch(0) && axis < most_pitches && pitch(axis + 1) != pitch(axis);
  if (is_outermost) return std::numeric_limits<int64_t>::max() / 2;
  return axis == 0 ? 1 : pitch(axis - 1) / pitch(axis);
}

bool ByteGrid::add_boxes(const ByteBox& box, std::vector<GridBox>& boxes) const {
  int64_t at = box.offset;
  for (const int64_t end = box.offset + box.nbytes; at < end;) {
    GridBox part;
    // The outermost axis along which a whole unit begins here.
    int whole = most_pitches;
    for (int axis = 0; axis < axes; ++axis) {
      if (at % pitch(axis) == 0 && at + pitch(axis) <= end && extent(axis) > 1) {
        whole = axis;
        break;
      }
    }
    int64_t rest = at;
    for (int axis = 0; axis < axes; ++axis) {
      if (extent(axis) == 1) continue;
      part.start[static_cast<size_t>(axis)] = axis > whole ? 0 : rest / pitch(axis);
      part.size[static_cast<size_t>(axis)] = axis > whole ? extent(axis) : 1;
      rest %= pitch(axis);
    }
    const int64_t room = extent(whole) - part.start[static_cast<size_t>(whole)];
    const int64_t count = std::min((end - at) / pitch(whole), room);
    part.size[static_cast<size_t>(whole)] = count;
    at += count * pitch(whole);
    for (size_t k = 0; k < box.counts.size(); ++k) {
      int axis = 0;
      while (axis < most_pitches && (pitch(axis) != box.strides[k] || extent(axis) == 1)) ++axis;
      const auto a = static_cast<size_t>(axis);
      if (axis == most_pitches || part.size[a] != 1 || part.start[a] + box.counts[k] > extent(axis)) return false;
      part.size[a] = box.counts[k];
    }
    boxes.push_back(part);
  }
  return true;
}

int64_t ByteGrid::offset(const GridBox& box) const {
  int64_t at = 0;
  for (int axis = 0; axis < axes; ++axis) at += box.start[static_cast<size_t>(axis)] * pitch(axis);
  return at;
}

std::optional<GridBox> ByteGrid::shift(const GridBox& box, int64_t distance) const {
  int64_t rest = offset(box) + distance;
  if (rest < 0) return {};
  GridBox shifted = box;
  for (int axis = 0; axis < axes; ++axis) {
    if (extent(axis) == 1) continue;
    const auto a = static_cast<size_t>(axis);
    shifted.start[a] = rest / pitch(axis);
    rest %= pitch(axis);
    if (shifted.start[a] + shifted.size[a] > extent(axis)) return {};
  }
  return shifted;
}

ByteBox ByteGrid::to_bytes(const GridBox& box) const {
  ByteBox bytes{.offset = offset(box), .nbytes = box.size[most_pitches]};
  for (int axis = most_pitches - 1; axis >= 0; --axis) {
    const int64_t count = box.size[static_cast<size_t>(axis)];
    if (count == 1) continue;
    if (bytes.counts.empty() && pitch(axis) == bytes.nbytes) {
      bytes.nbytes *= count;
    } else if (!bytes.counts.empty() && pitch(axis) == bytes.counts.back() * bytes.strides.back()) {
      bytes.counts.back() *= count;
    } else {
      bytes.counts.push_back(count);
      bytes.strides.push_back(pitch(axis));
    }
  }
  std::reverse(bytes.counts.begin(), bytes.counts.end());
  std::reverse(bytes.strides.begin(), bytes.strides.end());
  return bytes;
}

}  // namespace tessera::plan
