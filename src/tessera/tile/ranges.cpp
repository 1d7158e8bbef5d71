#include "tessera/tile/ranges.h"

#include <algorithm>

#include "tessera/base/format.h"

namespace tessera::tile {

void Ranges::add(const Range& range) {
  if (range.empty()) return;
  std::vector<Range> list;
  Range joined = range;
  for (const Range& known : list_) {
    if (known.end < joined.begin || joined.end < known.begin)
      list.push_back(known);
    else
      joined = hull(joined, known);
  }
  list.insert(std::ranges::upper_bound(list, joined.begin, {}, &Range::begin), joined);
  list_ = std::move(list);
}

void Ranges::remove(const Range& range) {
  if (range.empty()) return;
  std::vector<Range> list;
  for (const Range& known : list_) {
    const Range before{known.begin, std::min(known.end, range.begin)},
        after{std::max(known.begin, range.end), known.end};
    if (!before.empty()) list.push_back(before);
    if (!after.empty()) list.push_back(after);
  }
  list_ = std::move(list);
}

/// Time grows with this set and with what of the other one lies between its ends, not with all of that.
void Ranges::remove(const Ranges& ranges) {
  std::vector<Range> list;
  for (const Range& known : list_) {
    int64_t begin = known.begin;
    auto next = std::ranges::upper_bound(ranges.list_, known.begin, {}, &Range::end);
    for (; next != ranges.list_.end() && next->begin < known.end; ++next) {
      if (begin < next->begin) list.push_back({begin, next->begin});
      begin = next->end;
    }
    if (begin < known.end) list.push_back({begin, known.end});
  }
  list_ = std::move(list);
}

bool Ranges::overlaps(const Range& range) const {
  if (range.empty()) return false;
  const auto next = std::ranges::upper_bound(list_, range.begin, {}, &Range::end);
  return next != list_.end() && next->begin < range.end;
}

std::vector<Range> Ranges::within(const Range& range) const {
  std::vector<Range> parts;
  for (const Range& known : list_)
    if (const Range part = intersect(known, range); !part.empty()) parts.push_back(part);
  return parts;
}

std::vector<Range> Ranges::without(const Range& range) const {
  Ranges rest(range);
  for (const Range& known : list_) rest.remove(known);
  return rest.list_;
}

Ranges join(const std::vector<Range>& ranges) {
  std::vector<Range> sorted;
  for (const Range& range : ranges)
    if (!range.empty()) sorted.push_back(range);
  std::ranges::sort(sorted, {}, &Range::begin);
  Ranges joined;
  for (const Range& range : sorted) {
    if (joined.list_.empty() || joined.list_.back().end < range.begin)
      joined.list_.push_back(range);
    else
      joined.list_.back().end = std::max(joined.list_.back().end, range.end);
  }
  return joined;
}

Ranges join(const std::vector<Ranges>& sets) {
  std::vector<Range> all;
  for (const Ranges& set : sets) all.insert(all.end(), set.list().begin(), set.list().end());
  return join(all);
}

std::string print(const Range& range) { return format("[{}, {})", range.begin, range.end); }

std::string print(const Ranges& ranges) {
  std::string text;
  for (const Range& range : ranges.list()) text += (text.empty() ? "" : " ") + print(range);
  return text.empty() ? "nothing" : text;
}

}  // namespace tessera::tile
