#include "tessera/routines/frames/join.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "tessera/routines/frames/groups.h"
#include "tessera/runtime/host/threads.h"

namespace tessera::routines::frames {

namespace {

constexpr int64_t pair_block = 1 << 15;  // rows of the probing side that are counted together

/// Where the pairs of each block of rows begin, by pairs_of(row), and in the end how many there are.
template <class PairsOf>
std::vector<int64_t> count_pairs(int64_t rows, PairsOf&& pairs_of) {
  const int64_t blocks = (rows + pair_block - 1) / pair_block;
  std::vector<int64_t> begins(blocks + 1, 0);
  auto count = [&](int64_t begin, int64_t end) {
    for (int64_t b = begin; b < end; ++b) {
      int64_t pairs = 0;
      for (int64_t row = b * pair_block; row < std::min(rows, (b + 1) * pair_block); ++row) pairs += pairs_of(row);
      begins[b + 1] = pairs;
    }
  };
  runtime::parallel_for(blocks, 1, count);
  for (int64_t b = 0; b < blocks; ++b) begins[b + 1] += begins[b];
  return begins;
}

/// Calls body(row, place) for each row, with the place of the block's next pair, which it moves on.
template <class Body>
void over_pairs(int64_t rows, std::span<const int64_t> begins, Body&& body) {
  auto fill = [&](int64_t begin, int64_t end) {
    for (int64_t b = begin; b < end; ++b) {
      int64_t place = begins[b];
      for (int64_t row = b * pair_block; row < std::min(rows, (b + 1) * pair_block); ++row) body(row, place);
    }
  };
  runtime::parallel_for(static_cast<int64_t>(begins.size()) - 1, 1, fill);
}

/// The rows of one side and their partners.
struct Pairs {
  Buffer<int64_t> probe, built;
  bool all_probe = false;  ///< `probe` would be all rows in their order, and is empty
};

/// The only row of each group, or -1; nothing where a group has several.
std::optional<std::vector<int64_t>> only_rows(const CodesView& built, int64_t groups) {
  std::vector<int64_t> only(groups, -1);
  for (int64_t row = 0; row < built.size(); ++row) {
    if (built[row] < 0) continue;
    if (only[built[row]] >= 0) return std::nullopt;
    only[built[row]] = row;
  }
  return only;
}

/// Pairs each row of `probe` with the only row of its group.
Pairs pair_with_only(const CodesView& probe, std::span<const int64_t> only, bool keep_alone) {
  const int64_t n = probe.size();
  const auto partner = [&](int64_t row) { return probe[row] < 0 ? -1 : only[probe[row]]; };
  const std::vector<int64_t> begins =
      count_pairs(n, [&](int64_t row) { return int64_t{keep_alone || partner(row) >= 0}; });
  Pairs pairs{.built = Buffer<int64_t>(begins.back()), .all_probe = begins.back() == n};
  if (!pairs.all_probe) pairs.probe = Buffer<int64_t>(begins.back());
  over_pairs(n, begins, [&](int64_t row, int64_t& place) {
    const int64_t other = partner(row);
    if (!keep_alone && other < 0) return;
    if (!pairs.all_probe) pairs.probe[place] = row;
    pairs.built[place++] = other;
  });
  return pairs;
}

/// Pairs each row of `probe` with its partners in `built`, in the order of both.
Pairs pair_rows(const CodesView& probe, const CodesView& built, int64_t groups, bool keep_alone) {
  if (const auto only = only_rows(built, groups)) return pair_with_only(probe, *only, keep_alone);
  const int64_t n = probe.size();
  std::vector<int64_t> starts(groups + 1), rows(built.size());
  order_by_group(built, starts, rows);
  const auto partners = [&](int64_t row) -> int64_t {
    return probe[row] < 0 ? 0 : starts[probe[row] + 1] - starts[probe[row]];
  };
  const std::vector<int64_t> begins =
      count_pairs(n, [&](int64_t row) { return std::max<int64_t>(partners(row), keep_alone ? 1 : 0); });
  Pairs pairs{.probe = Buffer<int64_t>(begins.back()), .built = Buffer<int64_t>(begins.back())};
  over_pairs(n, begins, [&](int64_t row, int64_t& place) {
    const int64_t count = partners(row), first = count ? starts[probe[row]] : 0;
    for (int64_t k = 0; k < count; ++k, ++place) {
      pairs.probe[place] = row;
      pairs.built[place] = rows[first + k];
    }
    if (count == 0 && keep_alone) {
      pairs.probe[place] = row;
      pairs.built[place++] = -1;
    }
  });
  return pairs;
}

/// The same with the rows of `probe` in the order of their groups; those in none are left out.
Pairs pair_sorted(const CodesView& probe, const CodesView& built, int64_t groups, bool keep_alone) {
  std::vector<int64_t> starts(groups + 1), rows(probe.size());
  order_by_group(probe, starts, rows);
  rows.resize(starts.back());
  std::vector<int64_t> codes(rows.size());
  for (size_t at = 0; at < rows.size(); ++at) codes[at] = probe[rows[at]];
  Pairs pairs = pair_rows(std::span<const int64_t>(codes), built, groups, keep_alone);
  if (std::exchange(pairs.all_probe, false)) {
    pairs.probe = Buffer<int64_t>(std::ssize(rows));
    std::ranges::copy(rows, pairs.probe.data());
    return pairs;
  }
  for (int64_t& row : pairs.probe.span()) row = rows[row];
  return pairs;
}

JoinedRows join_outer(const CodesView& left, const CodesView& right, int64_t groups) {
  std::vector<int64_t> left_starts(groups + 1), left_rows(left.size()), right_starts(groups + 1),
      right_rows(right.size());
  order_by_group(left, left_starts, left_rows);
  order_by_group(right, right_starts, right_rows);
  std::vector<int64_t> of_left, of_right;
  const auto pair = [&](int64_t l, int64_t r) {
    of_left.push_back(l);
    of_right.push_back(r);
  };
  for (int64_t row = 0; row < left.size(); ++row)
    if (left[row] < 0) pair(row, -1);
  for (int64_t row = 0; row < right.size(); ++row)
    if (right[row] < 0) pair(-1, row);
  for (int64_t group = 0; group < groups; ++group) {
    const std::span lefts =
        std::span(left_rows).subspan(left_starts[group], left_starts[group + 1] - left_starts[group]);
    const std::span rights =
        std::span(right_rows).subspan(right_starts[group], right_starts[group + 1] - right_starts[group]);
    for (const int64_t l : lefts) {
      for (const int64_t r : rights) pair(l, r);
      if (rights.empty()) pair(l, -1);
    }
    if (lefts.empty())
      for (const int64_t r : rights) pair(-1, r);
  }
  JoinedRows result{.left = Buffer<int64_t>(std::ssize(of_left)), .right = Buffer<int64_t>(std::ssize(of_right))};
  std::ranges::copy(of_left, result.left.data());
  std::ranges::copy(of_right, result.right.data());
  return result;
}

}  // namespace

JoinedRows join(const CodesView& left, const CodesView& right, int64_t groups, JoinKind kind, bool sorted) {
  if (kind == JoinKind::outer) return join_outer(left, right, groups);
  const bool from_right = kind == JoinKind::right, keep_alone = kind != JoinKind::inner;
  const CodesView &probe = from_right ? right : left, &built = from_right ? left : right;
  Pairs pairs = sorted ? pair_sorted(probe, built, groups, keep_alone) : pair_rows(probe, built, groups, keep_alone);
  if (from_right)
    return {.left = std::move(pairs.built), .right = std::move(pairs.probe), .all_right = pairs.all_probe};
  return {.left = std::move(pairs.probe), .right = std::move(pairs.built), .all_left = pairs.all_probe};
}

}  // namespace tessera::routines::frames
