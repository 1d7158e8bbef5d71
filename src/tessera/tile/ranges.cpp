#include "tessera/tile/ranges.h"

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

std::string print(const Range& range) { return format("[{}, {})", range.begin, range.end); }

std::string print(const Ranges& ranges) {
  std::string text;
  for (const Range& range : ranges.list()) text += (text.empty() ? "" : " ") + print(range);
  return text.empty() ? "nothing" : text;
}

}  // namespace tessera::tile
