#include "tessera/library/host/search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tessera/base/error.h"
#include "tessera/library/host/arg_reduce.h"
#include "tessera/library/host/element_ops.h"
#include "tessera/library/host/random_data.h"
#include "tessera/library/host/repeat.h"
#include "tessera/library/host/sort.h"

namespace tessera::library {
namespace {

TEST(SearchTest, PlacesAreTheBounds) {
  TestArray<double> keys = random_data<double>(1000, 50, 1), values = random_data<double>(500, 60, 2);
  sort_rows(reinterpret_cast<char*>(keys.data()), DType::float64, 1, 1000);
  std::vector<int64_t> left(500), right(500);
  auto* k = reinterpret_cast<const char*>(keys.data());
  auto* v = reinterpret_cast<const char*>(values.data());
  search_sorted(k, 1000, nullptr, v, 500, DType::float64, false, left.data());
  search_sorted(k, 1000, nullptr, v, 500, DType::float64, true, right.data());
  auto before = [](double a, double b) { return a < b || (b != b && a == a); };
  for (int i = 0; i < 500; ++i) {
    EXPECT_EQ(left[i], std::lower_bound(keys.begin(), keys.end(), values[i], before) - keys.begin());
    EXPECT_EQ(right[i], std::upper_bound(keys.begin(), keys.end(), values[i], before) - keys.begin());
  }
  std::vector<int64_t> sorter(1000, 1000);
  EXPECT_THROW(search_sorted(k, 1000, sorter.data(), v, 500, DType::float64, false, left.data()), ValueError);
}

TEST(SearchTest, BinsCount) {
  std::vector<int64_t> values(100000), bins(10, 0);
  for (size_t k = 0; k < values.size(); ++k) values[k] = static_cast<int64_t>(k * k % 10);
  count_bins(values.data(), 100000, bins.data(), 10);
  EXPECT_EQ(bins, (std::vector<int64_t>{10000, 20000, 0, 0, 20000, 10000, 20000, 0, 0, 20000}));
  EXPECT_EQ(find_extremes(reinterpret_cast<const char*>(values.data()), DType::int64, 100000).high, 9);
}

template <class T>
class ArgReduceTest : public ::testing::Test {};
using ArgReduceTypes = ::testing::Types<bool, int8_t, uint16_t, int64_t, Half, float, double, std::complex<double>>;
TYPED_TEST_SUITE(ArgReduceTest, ArgReduceTypes);

TYPED_TEST(ArgReduceTest, TheFirstExtremeOrNaNWins) {
  using T = TypeParam;
  for (int64_t n : {1, 3, 64, 1500, 300000}) {
    for (int distinct : {5, 100000}) {
      for (bool specials : {false, true}) {
        TestArray<T> data = random_data<T>(n, distinct, static_cast<uint32_t>(n), specials);
        for (bool largest : {false, true}) {
          int64_t expected = 0, found = -1;
          for (int64_t k = 1; k < n; ++k) {
            if (is_nan(data[expected])) break;
            if (is_nan(data[k]) ||
                (largest ? is_less<T>(data[expected], data[k]) : is_less<T>(data[k], data[expected])))
              expected = k;
          }
          arg_reduce(largest, reinterpret_cast<char*>(data.data()), dtype_for<T>(), 1, n, 1, &found);
          EXPECT_EQ(found, expected) << n << distinct << specials << largest;
        }
      }
    }
  }
}

TEST(ArgReduceColumnsTest, LanesSideBySideAreSearchedAlone) {
  TestArray<double> data = random_data<double>(2 * 9 * 300, 20, 8);
  std::vector<int64_t> out(600);
  arg_reduce(true, reinterpret_cast<char*>(data.data()), DType::float64, 2, 9, 300, out.data());
  for (int64_t lane = 0; lane < 600; ++lane) {
    double column[9];
    for (int k = 0; k < 9; ++k) column[k] = data[(lane / 300 * 9 + k) * 300 + lane % 300];
    int64_t expected = -1;
    arg_reduce(true, reinterpret_cast<char*>(column), DType::float64, 1, 9, 1, &expected);
    EXPECT_EQ(out[lane], expected);
  }
}

TEST(RepeatTest, BlocksRepeatByTheirCounts) {
  std::vector<int32_t> data{1, 2, 3, 4}, out(8);
  std::vector<int64_t> counts{0, 3, 1, 0}, twice{2};
  repeat(reinterpret_cast<char*>(data.data()), 1, 4, 4, counts.data(), false, reinterpret_cast<char*>(out.data()));
  EXPECT_EQ(out, (std::vector<int32_t>{2, 2, 2, 3, 0, 0, 0, 0}));
  repeat(reinterpret_cast<char*>(data.data()), 2, 1, 8, twice.data(), true, reinterpret_cast<char*>(out.data()));
  EXPECT_EQ(out, (std::vector<int32_t>{1, 2, 1, 2, 3, 4, 3, 4}));
}

}  // namespace
}  // namespace tessera::library
