#include "tessera/tile/ranges.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "tessera/tile/access.h"
#include "tessera/tile/cut.h"

namespace tessera::tile {
namespace {

std::set<int64_t> bytes_of(const Ranges& ranges) {
  std::set<int64_t> bytes;
  for (const Range& range : ranges.list())
    for (int64_t byte = range.begin; byte < range.end; ++byte) bytes.insert(byte);
  return bytes;
}

TEST(RangesTest, BehaveAsASetOfBytes) {
  std::mt19937 random(3);
  const auto pick = [&](int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  };
  for (int trial = 0; trial < 100; ++trial) {
    Ranges ranges;
    std::set<int64_t> expected;
    for (int step = 0; step < 12; ++step) {
      const int64_t begin = pick(0, 40);
      const Range range{begin, begin + pick(-1, 12)};
      const bool adds = pick(0, 2) > 0;
      adds ? ranges.add(range) : ranges.remove(range);
      for (int64_t byte = range.begin; byte < range.end; ++byte)
        adds ? (void)expected.insert(byte) : (void)expected.erase(byte);
      ASSERT_EQ(bytes_of(ranges), expected);
      for (size_t k = 1; k < ranges.list().size(); ++k) ASSERT_LT(ranges.list()[k - 1].end, ranges.list()[k].begin);
      const Range asked{pick(0, 20), pick(20, 60)};
      Ranges within, without;
      for (const Range& part : ranges.within(asked)) within.add(part);
      for (const Range& part : ranges.without(asked)) without.add(part);
      for (int64_t byte = 0; byte < 70; ++byte) {
        const bool is_asked = asked.begin <= byte && byte < asked.end;
        ASSERT_EQ(bytes_of(within).contains(byte), is_asked && expected.contains(byte));
        ASSERT_EQ(bytes_of(without).contains(byte), is_asked && !expected.contains(byte));
      }
    }
  }
}

TEST(CutTest, CoversAnArrayOfAnySizeInWholeRows) {
  for (const int64_t row : {1, 8, 24, 8000})
    for (const int64_t rows : {0, 1, 2, 3, 5, 1000, 1601, 3'000'001})
      for (const int places : {1, 2, 3, 7}) {
        int64_t begin = 0;
        const std::vector<Range> parts = cut_evenly(rows * row + row / 2, row, places);
        ASSERT_EQ(parts.size(), static_cast<size_t>(places));
        for (const Range& part : parts) {
          ASSERT_EQ(part.begin, begin);
          ASSERT_GE(part.end, part.begin);
          ASSERT_EQ(part.begin % row, 0);
          begin = part.end;
        }
        ASSERT_EQ(begin, rows * row + row / 2);
      }
}

TEST(CutTest, PutsTheCutsOfLongAxesBetweenLeavesOfSums) {
  for (const Range& part : cut_evenly(int64_t{8} * 10'000'000, 8, 3)) EXPECT_EQ(part.begin % (8 * 8192), 0);
}

TEST(AccessTest, LanesBelongToWhoeverHasTheirFirstByte) {
  std::mt19937 random(5);
  const auto pick = [&](int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  };
  for (int trial = 0; trial < 3000; ++trial) {
    const int64_t lanes = pick(1, 9), size = pick(1, 12), step = pick(size, 20) * (pick(0, 1) ? 1 : -1);
    const Access access{.offset = 300, .stride = step, .elements = 1, .length = lanes, .inside = {0, size}};
    ASSERT_TRUE(access.is_separable());
    int64_t found = 0;
    for (int64_t begin = 0; begin < 600;) {
      const Range owned{begin, begin + pick(1, 150)};
      const Range own = access.lanes_in(owned, lanes);
      for (int64_t lane = 0; lane < lanes; ++lane) {
        const int64_t first = access.bytes(lane, lane + 1).begin;
        ASSERT_EQ(own.begin <= lane && lane < own.end, owned.begin <= first && first < owned.end);
      }
      found += own.size();
      begin = owned.end;
    }
    ASSERT_EQ(found, lanes);
  }
}

}  // namespace
}  // namespace tessera::tile
