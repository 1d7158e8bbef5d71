#include "tessera/library/host/scan.h"

#include <gtest/gtest.h>

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

TEST(ScanTest, OpsWithoutALoopSaySo) {
  double value = 1;
  auto* bytes = reinterpret_cast<char*>(&value);
  EXPECT_FALSE(scan(ScanOp::bitwise_or, bytes, DType::float64, 1, 1, 1, bytes));
  EXPECT_FALSE(scan(ScanOp::subtract, bytes, DType::boolean, 1, 1, 1, bytes));
  EXPECT_FALSE(scan_from_name("sin").has_value());
}

}  // namespace
}  // namespace tessera::library
