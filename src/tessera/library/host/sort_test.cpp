#include "tessera/library/host/sort.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>

#include "tessera/library/host/element_ops.h"
#include "tessera/library/host/random_data.h"
#include "tessera/runtime/host/threads.h"

namespace tessera::library {
namespace {

/// NumPy's order, implemented independently of sort keys.
template <class T>
bool before(T a, T b) {
  if constexpr (is_complex_type<T>) {
    int x = 2 * std::isnan(a.real()) + std::isnan(a.imag()), y = 2 * std::isnan(b.real()) + std::isnan(b.imag());
    if (x != y) return x < y;
    if (x < 2 && a.real() != b.real()) return a.real() < b.real();
    return !(x & 1) && a.imag() < b.imag();
  } else {
    return is_less(a, b) || (is_nan(b) && !is_nan(a));
  }
}

template <class T>
std::vector<int64_t> stable_order(const TestArray<T>& data) {
  std::vector<int64_t> order(data.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, [&](int64_t a, int64_t b) {
    return before<T>(data[a], data[b]) || (a < b && !before<T>(data[b], data[a]));
  });
  return order;
}

/// Equal bits, with all NaNs equivalent.
template <class T>
bool same(T a, T b) {
  return std::memcmp(&a, &b, sizeof(T)) == 0 || (is_nan(a) && is_nan(b));
}

template <class T>
class SortTest : public ::testing::Test {};
using SortTypes = ::testing::Types<bool, int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t, int64_t, uint64_t, Half,
                                   Bfloat16, float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(SortTest, SortTypes);

TYPED_TEST(SortTest, SortsAsAStableSortDoes) {
  using T = TypeParam;
  for (int64_t n : {0, 1, 2, 5, 24, 25, 100, 1000, 20000}) {
    for (int distinct : {3, 1000, 1 << 20}) {
      TestArray<T> data = random_data<T>(n, distinct, static_cast<uint32_t>(n + distinct));
      std::vector<int64_t> expected = stable_order(data), order(n);
      argsort_rows(reinterpret_cast<char*>(data.data()), dtype_for<T>(), 1, n, order.data());
      EXPECT_EQ(order, expected) << n << " " << distinct;
      TestArray<T> sorted = data;
      sort_rows(reinterpret_cast<char*>(sorted.data()), dtype_for<T>(), 1, n);
      for (int64_t k = 0; k < n; ++k) ASSERT_TRUE(same<T>(sorted[k], data[expected[k]])) << n << " " << k;
    }
  }
}

TYPED_TEST(SortTest, PartitionsAroundEveryPlace) {
  using T = TypeParam;
  for (int64_t n : {1, 40, 3000, 20000}) {
    for (int distinct : {2, 1 << 20}) {
      TestArray<T> data = random_data<T>(n, distinct, 5), out(n);
      std::vector<int64_t> sorted = stable_order(data), order(n);
      std::vector<int64_t> places{n / 3, n / 2, n - 1};
      places.erase(std::unique(places.begin(), places.end()), places.end());
      const char* bytes = reinterpret_cast<const char*>(data.data());
      partition_rows(bytes, dtype_for<T>(), 1, n, places, reinterpret_cast<char*>(out.data()));
      argpartition_rows(bytes, dtype_for<T>(), 1, n, places, order.data());
      for (int64_t k = 0; k < n; ++k)
        EXPECT_TRUE(same<T>(out[k], data[order[k]]) || !before<T>(out[k], data[order[k]]));
      for (int64_t place : places) {
        T pivot = data[sorted[place]];
        for (int64_t k = 0; k < n; ++k) {
          ASSERT_FALSE(k < place && before<T>(pivot, out[k]));
          ASSERT_FALSE(k >= place && before<T>(out[k], pivot));
        }
      }
      std::ranges::sort(order);
      for (int64_t k = 0; k < n; ++k) ASSERT_EQ(order[k], k);
    }
  }
}

TEST(SortRowsTest, LongRowsDoNotDependOnTheThreadCount) {
  int count = runtime::thread_count();
  int64_t n = 300000;
  for (int distinct : {1, 7, 1 << 30}) {
    TestArray<double> data = random_data<double>(n, distinct, 3);
    for (int threads : {1, 2, 3}) {
      runtime::set_thread_count(threads);
      std::vector<int64_t> order(n);
      argsort_rows(reinterpret_cast<char*>(data.data()), DType::float64, 1, n, order.data());
      EXPECT_TRUE(order == stable_order(data));
      TestArray<double> sorted = data;
      sort_rows(reinterpret_cast<char*>(sorted.data()), DType::float64, 1, n);
      for (int64_t k = 0; k < n; ++k) ASSERT_TRUE(same(sorted[k], data[order[k]]));
    }
  }
  runtime::set_thread_count(count);
}

TEST(SortRowsTest, InfinitiesStayInfinite) {
  for (int64_t n : {25, 64, 100, 257, 2000}) {
    std::vector<double> data(n);
    for (int64_t k = 0; k < n; ++k)
      data[k] = k % 5 == 0 ? INFINITY : k % 7 == 0 ? -INFINITY : static_cast<double>(k * 31 % 101);
    std::vector<double> expected = data;
    std::ranges::sort(expected);
    sort_rows(reinterpret_cast<char*>(data.data()), DType::float64, 1, n);
    EXPECT_EQ(data, expected);
  }
}

TEST(SortRowsTest, KeysThatDifferOnlyInTheirLastBitsAreOrdered) {
  TestArray<int64_t> data(3000);
  std::vector<int64_t> order(3000);
  for (int64_t k = 0; k < 3000; ++k) data[k] = (k % 2 ? INT64_MAX : INT64_MIN) ^ (k * 7919 % 16);
  argsort_rows(reinterpret_cast<char*>(data.data()), DType::int64, 1, 3000, order.data());
  EXPECT_EQ(order, stable_order(data));
}

TEST(SortRowsTest, OrdersAreRefinedByFurtherKeys) {
  std::vector<int32_t> minor{3, 1, 2, 1}, major{1, 0, 1, 0};
  std::vector<int64_t> order(4);
  argsort_rows(reinterpret_cast<char*>(minor.data()), DType::int32, 1, 4, order.data());
  refine_order(reinterpret_cast<char*>(major.data()), DType::int32, 4, order.data());
  EXPECT_EQ(order, (std::vector<int64_t>{1, 3, 2, 0}));
}

}  // namespace
}  // namespace tessera::library
