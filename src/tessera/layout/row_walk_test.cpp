#include "tessera/layout/row_walk.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace tessera {
namespace {

/// The offsets at which rows begin, and their lengths.
std::vector<std::pair<int64_t, int64_t>> rows_of(const Dims& shape, const Dims& strides) {
  char origin = 0;
  std::vector<std::pair<int64_t, int64_t>> rows;
  const std::array<char*, 1> start{&origin};
  walk_rows(shape, start, std::array{strides},
            [&](char* const* at, const int64_t*, int64_t n) { rows.emplace_back(at[0] - &origin, n); });
  return rows;
}

using Rows = std::vector<std::pair<int64_t, int64_t>>;

TEST(RowWalkTest, ContiguousAxesAreOneRow) { EXPECT_EQ(rows_of({2, 3, 4}, {96, 32, 8}), (Rows{{0, 24}})); }

TEST(RowWalkTest, GapsBeginNewRows) {
  EXPECT_EQ(rows_of({2, 3}, {40, 8}), (Rows{{0, 3}, {40, 3}}));
  EXPECT_EQ(rows_of({2, 2, 3}, {100, 40, 8}), (Rows{{0, 3}, {40, 3}, {100, 3}, {140, 3}}));
}

TEST(RowWalkTest, AxesOfOneElementAreLeftOut) { EXPECT_EQ(rows_of({3, 1}, {8, 1000}), (Rows{{0, 3}})); }

TEST(RowWalkTest, AShapeWithoutAxesIsOneElementAndAnEmptyOneIsNone) {
  EXPECT_EQ(rows_of({}, {}), (Rows{{0, 1}}));
  EXPECT_EQ(rows_of({3, 0}, {8, 8}), Rows{});
}

}  // namespace
}  // namespace tessera
