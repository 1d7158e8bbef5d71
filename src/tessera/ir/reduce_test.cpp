#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "tessera/ir/builder.h"
#include "tessera/ir/run_kernel.h"

namespace tessera::ir {
namespace {

std::vector<double> noise(int64_t n) {
  std::vector<double> values(n);
  uint64_t state = 12345;
  for (double& v : values) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    v = static_cast<double>(static_cast<int64_t>(state) >> 11) * 0x1p-30;
  }
  return values;
}

double chunk_sum(const double* a, int64_t n) {
  if (n < 8) {
    double sum = a[0];
    for (int64_t i = 1; i < n; ++i) sum += a[i];
    return sum;
  }
  if (n <= 128) {
    std::array<double, 8> r;
    std::copy_n(a, 8, r.begin());
    int64_t i = 8;
    for (; i < n - n % 8; i += 8) {
      for (int k = 0; k < 8; ++k) r[k] += a[i + k];
    }
    double sum = ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7]));
    for (; i < n; ++i) sum += a[i];
    return sum;
  }
  const int64_t half = n / 2 - n / 2 % 8;
  return chunk_sum(a, half) + chunk_sum(a + half, n - half);
}

/// Pairwise sum as the IR defines it: chunks of 8192 joined level by level.
double tree_sum(const std::vector<double>& a) {
  std::vector<double> level;
  for (size_t at = 0; at < a.size(); at += 8192)
    level.push_back(chunk_sum(a.data() + at, std::min<size_t>(8192, a.size() - at)));
  while (level.size() > 1) {
    std::vector<double> next;
    for (size_t k = 0; k < level.size(); k += 2)
      next.push_back(k + 1 < level.size() ? level[k] + level[k + 1] : level[k]);
    level = next;
  }
  return level.empty() ? 0 : level[0];
}

/// result[i] = reduction over k of f(x[i, k]) or, if across, of f(x[k, i]).
Kernel reduction_kernel(ReduceKind kind, ReduceOrder order, bool across, bool squared, DType t = f64) {
  Builder b(1);
  const uint32_t x = b.add_buffer({.dtype = t, .ndim = 2});
  const uint32_t z = b.add_buffer({.dtype = t, .ndim = 1, .readable = false, .writable = true});
  const Value i = b.index(0);
  const Value total = b.reduce(kind, order, b.constant(i64, 0), b.dimension(x, across ? 0 : 1), [&](Value k) {
    const Value v = b.load(x, across ? std::array{k, i} : std::array{i, k});
    return squared ? b.mul(v, v) : v;
  });
  b.store(z, total, std::array{i});
  return b.take();
}

TEST(Reduce, pairwise_sums_have_the_defined_tree) {
  for (const bool squared : {false, true}) {
    for (int64_t n : {0, 1, 7, 8, 100, 129, 1000, 8191, 8192, 8193, 20000, 70001}) {
      const std::vector<double> values = noise(3 * n);
      TestArray a = TestArray::of(f64, {3, n}, values), o = TestArray::zeros(f64, {3});
      run_kernel(reduction_kernel(ReduceKind::add, ReduceOrder::pairwise, false, squared), {3}, {&a, &o});
      for (int r = 0; r < 3; ++r) {
        std::vector<double> row(values.begin() + r * n, values.begin() + (r + 1) * n);
        for (double& v : row) v = squared ? v * v : v;
        EXPECT_EQ(o.values<double>()[r], tree_sum(row)) << n << squared;
      }
    }
  }
}

TEST(Reduce, sequential_sums_reduce_rows_in_order) {
  for (const auto& [rows, columns] : {std::pair<int64_t, int64_t>{5, 3000}, {3000, 5}, {100, 1}, {1, 100}, {0, 4}}) {
    const std::vector<double> values = noise(rows * columns);
    TestArray a = TestArray::of(f64, {rows, columns}, values), o = TestArray::zeros(f64, {columns});
    run_kernel(reduction_kernel(ReduceKind::add, ReduceOrder::sequential, true, true), {columns}, {&a, &o});
    for (int64_t c = 0; c < columns; ++c) {
      double sum = rows ? values[c] * values[c] : 0;
      for (int64_t r = 1; r < rows; ++r) sum += values[r * columns + c] * values[r * columns + c];
      ASSERT_EQ(o.values<double>()[c], sum) << rows << "x" << columns;
    }
  }
}

TEST(Reduce, extremes_agree_along_either_axis) {
  const int64_t rows = 37, columns = 1111;
  std::vector<double> values = noise(rows * columns);
  values[5 * columns + 9] = std::nan("");
  TestArray a = TestArray::of(f64, {rows, columns}, values);
  for (const bool across : {false, true}) {
    const int64_t n = across ? columns : rows;
    TestArray least = TestArray::zeros(f64, {n}), most = TestArray::zeros(f64, {n});
    run_kernel(reduction_kernel(ReduceKind::min, ReduceOrder::pairwise, across, false), {n}, {&a, &least});
    run_kernel(reduction_kernel(ReduceKind::max_num, ReduceOrder::sequential, across, false), {n}, {&a, &most});
    for (int64_t i = 0; i < n; ++i) {
      double low = INFINITY, high = -INFINITY;
      bool nan = false;
      for (int64_t k = 0; k < (across ? rows : columns); ++k) {
        const double v = across ? values[k * columns + i] : values[i * columns + k];
        nan |= std::isnan(v);
        low = std::fmin(low, v);
        high = std::fmax(high, v);
      }
      EXPECT_EQ(std::isnan(least.values<double>()[i]), nan);
      if (!nan) EXPECT_EQ(least.values<double>()[i], low);
      EXPECT_EQ(most.values<double>()[i], high);
    }
  }
}

TEST(Reduce, bounds_may_differ_by_lane) {
  // Chunks of ten, the last one short, as reductions are split over threads.
  Builder b(1);
  const uint32_t x = b.add_buffer({.dtype = i64, .ndim = 1});
  const uint32_t z = b.add_buffer({.dtype = i64, .ndim = 1, .readable = false, .writable = true});
  const Value lower = b.mul(b.index(0), b.constant(i64, 10));
  const Value upper = b.min(b.add(lower, b.constant(i64, 10)), b.dimension(x, 0));
  b.store(
      z,
      b.reduce(ReduceKind::add, ReduceOrder::pairwise, lower, upper, [&](Value k) { return b.load(x, std::array{k}); }),
      std::array{b.index(0)});
  std::vector<int64_t> values(1234);
  for (int64_t i = 0; i < 1234; ++i) values[i] = i * i;
  TestArray a = TestArray::of(i64, {1234}, values), o = TestArray::zeros(i64, {124});
  run_kernel(b.take(), {124}, {&a, &o});
  for (int64_t c = 0; c < 124; ++c) {
    int64_t sum = 0;
    for (int64_t k = 10 * c; k < std::min<int64_t>(10 * c + 10, 1234); ++k) sum += values[k];
    EXPECT_EQ(o.values<int64_t>()[c], sum);
  }
}

TEST(Reduce, nested_reductions_multiply_matrices) {
  Builder b(2);
  const uint32_t x = b.add_buffer({.dtype = f64, .ndim = 2}), y = b.add_buffer({.dtype = f64, .ndim = 2});
  const uint32_t z = b.add_buffer({.dtype = f64, .ndim = 2, .readable = false, .writable = true});
  const std::array at{b.index(0), b.index(1)};
  // The outer reduction repeats the product three times with increasing weight.
  const Value total =
      b.reduce(ReduceKind::add, ReduceOrder::sequential, b.constant(i64, 0), b.constant(i64, 3), [&](Value w) {
        const Value inner =
            b.reduce(ReduceKind::add, ReduceOrder::sequential, b.constant(i64, 0), b.dimension(x, 1),
                     [&](Value k) { return b.mul(b.load(x, std::array{at[0], k}), b.load(y, std::array{k, at[1]})); });
        return b.mul(inner, b.cast(w, f64));
      });
  b.store(z, total, at);
  const Kernel kernel = b.take();
  const int64_t m = 5, p = 30, n = 70;
  const std::vector<double> u = noise(m * p), v = noise(p * n);
  TestArray a = TestArray::of(f64, {m, p}, u), c = TestArray::of(f64, {p, n}, v), o = TestArray::zeros(f64, {m, n});
  run_kernel(kernel, {m, n}, {&a, &c, &o});
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      double inner = u[i * p] * v[j];
      for (int64_t k = 1; k < p; ++k) inner += u[i * p + k] * v[k * n + j];
      EXPECT_EQ(o.values<double>()[i * n + j], inner * 0.0 + inner * 1.0 + inner * 2.0);
    }
  }
}

TEST(Reduce, complex_products_start_from_the_first_element) {
  const DType c128 = DType::complex128;
  using C = std::complex<double>;
  std::vector<C> values{{1, 2}, {-0.5, 3}, {2, -1}};
  for (const ReduceKind kind : {ReduceKind::add, ReduceKind::mul}) {
    TestArray a = TestArray::of(c128, {1, 3}, values), o = TestArray::zeros(c128, {1});
    run_kernel(reduction_kernel(kind, ReduceOrder::pairwise, false, false, c128), {1}, {&a, &o});
    EXPECT_EQ(o.values<C>()[0],
              kind == ReduceKind::add ? values[0] + values[1] + values[2] : values[0] * values[1] * values[2]);
  }
}

}  // namespace
}  // namespace tessera::ir
