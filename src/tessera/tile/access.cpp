#include "tessera/tile/access.h"

#include <cstdlib>

namespace tessera::tile {

namespace {

/// Rounded towards minus infinity; `divisor` is positive.
int64_t floor_divide(int64_t x, int64_t divisor) { return x / divisor - (x % divisor < 0); }

}  // namespace

Range Access::bytes(int64_t begin, int64_t end) const {
  if (end <= begin) return {};
  int64_t low = 0, high = length;
  if (elements > 0) low = std::min(begin * elements, length), high = std::min(end * elements, length);
  if (high <= low) return {};
  const int64_t first = low * stride, last = (high - 1) * stride;
  return {offset + std::min(first, last) + inside.begin, offset + std::max(first, last) + inside.end};
}

Range Access::lanes_in(const Range& bytes, int64_t lanes) const {
  if (bytes.empty()) return {};
  const int64_t distance = std::abs(step()), first = offset + inside.begin;
  Range found;
  if (step() > 0)
    found = {-floor_divide(first - bytes.begin, distance), -floor_divide(first - bytes.end, distance)};
  else
    found = {floor_divide(first - bytes.end, distance) + 1, floor_divide(first - bytes.begin, distance) + 1};
  return intersect(found, {0, lanes});
}

Range Access::lanes_touching(const Range& bytes, int64_t lanes) const {
  if (bytes.empty() || lanes == 0) return {};
  if (elements == 0 || stride == 0) return {0, lanes};
  const int64_t others = (elements - 1) * std::abs(stride), size = others + inside.size();
  return lanes_in({bytes.begin - size + 1, bytes.end + (stride < 0 ? others : 0)}, lanes);
}

}  // namespace tessera::tile
