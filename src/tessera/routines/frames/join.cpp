#include "tessera/routines/frames/join.h"

#include <algorithm>

#include "tessera/routines/frames/groups.h"
#include "tessera/runtime/host/threads.h"

namespace tessera::routines::frames {

namespace {

/// Pairs each row of `probe` with its partners in `built`, in the order of both.
void pair_rows(std::span<const int64_t> probe, std::span<const int64_t> built, int64_t groups, bool keep_alone,
               std::vector<int64_t>& of_probe, std::vector<int64_t>& of_built) {
  std::vector<int64_t> starts(groups + 1), rows(built.size());
  order_by_group(built, starts, rows);
  const int64_t n = static_cast<int64_t>(probe.size());
  constexpr int64_t block = 1 << 15;
  const int64_t blocks = (n + block - 1) / block;
  std::vector<int64_t> begins(blocks + 1, 0);
  const auto partners = [&](int64_t row) {
    const int64_t code = probe[row], count = code < 0 ? 0 : starts[code + 1] - starts[code];
    return std::max<int64_t>(count, keep_alone ? 1 : 0);
  };
  auto count = [&](int64_t begin, int64_t end) {
    for (int64_t b = begin; b < end; ++b)
      for (int64_t row = b * block; row < std::min(n, (b + 1) * block); ++row) begins[b + 1] += partners(row);
  };
  runtime::parallel_for(blocks, 1, count);
  for (int64_t b = 0; b < blocks; ++b) begins[b + 1] += begins[b];
  of_probe.resize(begins[blocks]);
  of_built.resize(begins[blocks]);
  auto fill = [&](int64_t begin, int64_t end) {
    for (int64_t b = begin; b < end; ++b) {
      int64_t at = begins[b];
      for (int64_t row = b * block; row < std::min(n, (b + 1) * block); ++row) {
        const int64_t code = probe[row];
        const int64_t first = code < 0 ? 0 : starts[code], last = code < 0 ? 0 : starts[code + 1];
        for (int64_t k = first; k < last; ++k, ++at) {
          of_probe[at] = row;
          of_built[at] = rows[k];
        }
        if (first == last && keep_alone) {
          of_probe[at] = row;
          of_built[at++] = -1;
        }
      }
    }
  };
  runtime::parallel_for(blocks, 1, fill);
}

JoinedRows join_outer(std::span<const int64_t> left, std::span<const int64_t> right, int64_t groups) {
  std::vector<int64_t> left_starts(groups + 1), left_rows(left.size()), right_starts(groups + 1),
      right_rows(right.size());
  order_by_group(left, left_starts, left_rows);
  order_by_group(right, right_starts, right_rows);
  JoinedRows result;
  const auto pair = [&](int64_t l, int64_t r) {
    result.left.push_back(l);
    result.right.push_back(r);
  };
  for (size_t row = 0; row < left.size(); ++row)
    if (left[row] < 0) pair(static_cast<int64_t>(row), -1);
  for (size_t row = 0; row < right.size(); ++row)
    if (right[row] < 0) pair(-1, static_cast<int64_t>(row));
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
  return result;
}

}  // namespace

JoinedRows join(std::span<const int64_t> left, std::span<const int64_t> right, int64_t groups, JoinKind kind,
                bool sorted) {
  if (kind == JoinKind::outer) return join_outer(left, right, groups);
  const bool from_right = kind == JoinKind::right;
  const std::span<const int64_t> probe = from_right ? right : left, built = from_right ? left : right;
  JoinedRows result;
  std::vector<int64_t>&of_probe = from_right ? result.right : result.left,
  &of_built = from_right ? result.left : result.right;
  if (!sorted) {
    pair_rows(probe, built, groups, kind != JoinKind::inner, of_probe, of_built);
    return result;
  }
  std::vector<int64_t> starts(groups + 1), rows(probe.size());
  order_by_group(probe, starts, rows);
  rows.resize(starts.back());
  std::vector<int64_t> codes(rows.size());
  for (size_t at = 0; at < rows.size(); ++at) codes[at] = probe[rows[at]];
  pair_rows(codes, built, groups, kind != JoinKind::inner, of_probe, of_built);
  for (int64_t& row : of_probe) row = rows[row];
  return result;
}

}  // namespace tessera::routines::frames
