/// Range, Ranges: parts of an array's memory, as byte positions in the whole of it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace tessera::tile {

/// Bytes [begin, end) of an array's memory.
struct Range {
  int64_t begin = 0, end = 0;

  bool empty() const { return end <= begin; }
  int64_t size() const { return empty() ? 0 : end - begin; }
  bool contains(const Range& other) const { return other.empty() || (begin <= other.begin && other.end <= end); }
  friend bool operator==(const Range&, const Range&) = default;
};

inline Range intersect(const Range& a, const Range& b) {
  const Range both{std::max(a.begin, b.begin), std::min(a.end, b.end)};
  return both.empty() ? Range{} : both;
}

/// The smallest range with both; an empty one adds nothing.
inline Range hull(const Range& a, const Range& b) {
  if (a.empty()) return b;
  if (b.empty()) return a;
  return {std::min(a.begin, b.begin), std::max(a.end, b.end)};
}

/// A set of bytes: disjoint ranges in ascending order, no two adjacent.
class Ranges {
 public:
  Ranges() = default;
  explicit Ranges(const Range& range) { add(range); }

  void add(const Range& range);
  void remove(const Range& range);
  void remove(const Ranges& ranges);
  bool overlaps(const Range& range) const;
  bool contains(const Range& range) const { return without(range).empty(); }
  /// The parts of `range` that are in the set.
  std::vector<Range> within(const Range& range) const;
  /// The parts of `range` that are not.
  std::vector<Range> without(const Range& range) const;
  const std::vector<Range>& list() const { return list_; }
  bool empty() const { return list_.empty(); }
  friend bool operator==(const Ranges&, const Ranges&) = default;
  friend Ranges join(const std::vector<Range>& ranges);

 private:
  std::vector<Range> list_;
};

/// All bytes that are in one of them.
Ranges join(const std::vector<Range>& ranges);
Ranges join(const std::vector<Ranges>& sets);

/// "[0, 80)".
std::string print(const Range& range);
/// "[0, 80) [160, 240)"; "nothing".
std::string print(const Ranges& ranges);

}  // namespace tessera::tile
