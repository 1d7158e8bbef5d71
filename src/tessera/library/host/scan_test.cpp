#include "tessera/library/host/scan.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <utility>
#include <vector>

#include "tessera/library/host/random_data.h"
#include "tessera/runtime/host/threads.h"

namespace tessera::library {
namespace {

TEST(ScanTest, LanesAreReducedFirstToLast) {
  TestArray<double> data = random_data<double>(3 * 5 * 700, 1000, 2, false), out(data.size());
  int64_t outer = 3, n = 5, inner = 700;
  auto* bytes = reinterpret_cast<const char*>(data.data());
  ASSERT_TRUE(scan(ScanOp::add, bytes, DType::float64, outer, n, inner, reinterpret_cast<char*>(out.data())));
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t i = 0; i < inner; ++i) {
      double sum = 0;
      for (int64_t k = 0; k < n; ++k) {
        sum += data[(o * n + k) * inner + i];
        ASSERT_EQ(out[(o * n + k) * inner + i], sum);
      }
    }
  ASSERT_TRUE(scan(ScanOp::maximum, bytes, DType::float64, 1, 10500, 1, reinterpret_cast<char*>(out.data())));
  double largest = data[0];
  for (size_t k = 0; k < data.size(); ++k) ASSERT_EQ(out[k], largest = std::max(largest, data[k]));
}

std::vector<double> reduced_by_chunks(const std::vector<double>& x) {
  std::vector<double> out, totals;
  for (size_t k = 0; k < x.size(); ++k) {
    const bool starts = k % scan_chunk == 0;
    out.push_back(starts ? x[k] : out.back() + x[k]);
    if (k + 1 == x.size() || (k + 1) % scan_chunk == 0) totals.push_back(out.back());
  }
  if (totals.size() > 1) totals = reduced_by_chunks(totals);
  for (size_t k = scan_chunk; k < x.size(); ++k) out[k] = totals[k / scan_chunk - 1] + out[k];
  return out;
}

TEST(ScanTest, LongSumsAreCutIntoChunksWhateverTheLayout) {
  for (int64_t n : {8193, 70'000, 200'001}) {
    TestArray<double> data = random_data<double>(n, 1000, 2, false), out(n), wide(3 * n);
    const std::vector<double> expected = reduced_by_chunks({data.begin(), data.end()});
    ASSERT_TRUE(scan(ScanOp::add, reinterpret_cast<char*>(data.data()), DType::float64, 1, n, 1,
                     reinterpret_cast<char*>(out.data())));
    for (int64_t k = 0; k < n; ++k) ASSERT_EQ(out[k], expected[static_cast<size_t>(k)]) << n << " " << k;
    for (int64_t k = 0; k < 3 * n; ++k) wide[k] = data[k / 3];
    ASSERT_TRUE(scan(ScanOp::add, reinterpret_cast<char*>(wide.data()), DType::float64, 1, n, 3,
                     reinterpret_cast<char*>(wide.data())));
    for (int64_t k = 0; k < 3 * n; ++k) ASSERT_EQ(wide[k], expected[static_cast<size_t>(k / 3)]) << n << " " << k;
  }
}

TEST(ScanTest, LongIntegerLanesMayBeCut) {
  int count = runtime::thread_count();
  runtime::set_thread_count(3);
  TestArray<int64_t> data = random_data<int64_t>(1 << 18, 1000, 2), out(data.size());
  scan(ScanOp::add, reinterpret_cast<char*>(data.data()), DType::int64, 1, 1 << 18, 1,
       reinterpret_cast<char*>(out.data()));
  int64_t sum = 0;
  for (size_t k = 0; k < data.size(); ++k) ASSERT_EQ(out[k], sum += data[k]);
  runtime::set_thread_count(count);
}

/// -0 is less than +0, as in kernels: the sign of what was kept shows which zeros came before.
template <class T>
void expect_ordered_zeros(DType dtype, T zero, T negative_zero, const std::function<bool(T)>& is_negative) {
  for (const auto& [n, inner] : {std::pair<int64_t, int64_t>{9, 1}, {1 << 18, 1}, {9, 700}}) {
    for (const ScanOp op : {ScanOp::maximum, ScanOp::fmax, ScanOp::minimum, ScanOp::fmin}) {
      const bool largest = op == ScanOp::maximum || op == ScanOp::fmax;
      const T begin = largest ? negative_zero : zero, later = largest ? zero : negative_zero;
      TestArray<T> data(n * inner), out(n * inner);
      for (int64_t k = 0; k < n * inner; ++k) data[k] = k / inner == n / 2 ? later : begin;
      ASSERT_TRUE(
          scan(op, reinterpret_cast<char*>(data.data()), dtype, 1, n, inner, reinterpret_cast<char*>(out.data())));
      for (int64_t k = 0; k < n * inner; ++k)
        ASSERT_EQ(is_negative(out[k]), largest == (k / inner < n / 2)) << name(dtype) << " " << n << " " << k;
    }
  }
}

TEST(ScanTest, ExtremesKeepZerosInOrder) {
  int count = runtime::thread_count();
  for (int threads : {1, 3}) {
    runtime::set_thread_count(threads);
    expect_ordered_zeros<double>(DType::float64, 0.0, -0.0, [](double x) { return std::signbit(x); });
    expect_ordered_zeros<float>(DType::float32, 0.0f, -0.0f, [](float x) { return std::signbit(x); });
    expect_ordered_zeros<uint16_t>(DType::float16, 0, 0x8000, [](uint16_t x) { return x == 0x8000; });
    expect_ordered_zeros<uint16_t>(DType::bfloat16, 0, 0x8000, [](uint16_t x) { return x == 0x8000; });
  }
  runtime::set_thread_count(count);
}

TEST(ScanTest, OpsWithoutALoopSaySo) {
  double value = 1;
  auto* bytes = reinterpret_cast<char*>(&value);
  EXPECT_FALSE(scan(ScanOp::bitwise_or, bytes, DType::float64, 1, 1, 1, bytes));
  EXPECT_FALSE(scan(ScanOp::subtract, bytes, DType::boolean, 1, 1, 1, bytes));
  EXPECT_FALSE(scan_from_name("sin").has_value());
}

}  // namespace
}  // namespace tessera::library
