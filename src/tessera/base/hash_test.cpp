#include "tessera/base/hash.h"

#include <gtest/gtest.h>

#include <set>

namespace tessera {
namespace {

TEST(SumHash, two_flags_that_move_together_give_another_sum) {
  for (uint64_t word : {uint64_t{0}, uint64_t{1}, uint64_t{0x9E3779B97F4A7C15}, ~uint64_t{5}}) {
    std::set<uint64_t> sums;
    for (int first = 0; first < 80; ++first) {
      SumHash hash;
      for (int k = 0; k < 96; ++k) hash.add(word ^ uint64_t{k == first || k == first + 9});
      sums.insert(hash.value());
    }
    EXPECT_EQ(sums.size(), 80);
  }
}

TEST(SumHash, changes_of_neighbours_do_not_cancel) {
  std::set<uint64_t> sums;
  int count = 0;
  for (int64_t a = 0; a < 40; ++a) {
    for (int64_t b = 0; b < 40; ++b) {
      for (int64_t c = 0; c < 40; ++c, ++count) {
        SumHash hash;
        const int64_t words[] = {a, b, c};
        hash.add(words);
        sums.insert(hash.value());
      }
    }
  }
  EXPECT_EQ(static_cast<int>(sums.size()), count);
}

}  // namespace
}  // namespace tessera
