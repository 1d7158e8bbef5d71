#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "tessera/codegen/samples/sample_kernels.h"
#include "tessera/ir/loops.h"

namespace tessera::codegen {
namespace {

using ir::ReduceKind;
using ir::ReduceOrder;
using ir::Value;

template <class T>
std::vector<T> noise(int64_t n) {
  std::mt19937_64 random(static_cast<uint64_t>(n));
  std::normal_distribution<double> normal;
  std::vector<T> values(n);
  for (T& v : values) v = static_cast<T>(normal(random) * 1000);
  return values;
}

template <class T>
constexpr DType dtype_of = sizeof(T) == 4 ? DType::float32 : DType::float64;

/// Reduces chunks by the precompiled loop and combines them level by level.
template <class T>
T tree_sum(const T* a, int64_t n, ReduceOrder order) {
  if (n == 0) return 0;
  std::vector<T> sums;
  for (int64_t at = 0; at < n; at += 8192) {
    T sum;
    ir::find_reduce_loop(ReduceKind::add, order, dtype_of<T>)(reinterpret_cast<const char*>(a + at), sizeof(T),
                                                              std::min<int64_t>(8192, n - at),
                                                              reinterpret_cast<char*>(&sum));
    sums.push_back(sum);
  }
  while (sums.size() > 1) {
    std::vector<T> joined;
    for (size_t k = 0; k + 1 < sums.size(); k += 2) joined.push_back(sums[k] + sums[k + 1]);
    if (sums.size() % 2) joined.push_back(sums.back());
    sums = joined;
  }
  return sums[0];
}

template <class T>
void expect_row_sums(Compiler& compiler, Tier tier, ReduceOrder order, bool square) {
  const ir::KernelEntry entry = [&] {
    static std::vector<std::shared_ptr<NativeKernel>> kept;
    kept.push_back(compiler.compile(row_sum_kernel(dtype_of<T>, order, square), tier));
    return kept.back()->entry();
  }();
  for (int64_t n : {0,   1,   3,   4,   7,   8,   9,    31,   63,   64,   65,   100,   127,   128,
                    129, 200, 511, 512, 513, 520, 1000, 4097, 8191, 8192, 8193, 16385, 30000, 70000}) {
    const int64_t rows = 3;
    const std::vector<T> a = noise<T>(rows * n);
    std::vector<T> sums(rows, T(77));
    Binding({rows}).add(const_cast<T*>(a.data()), {rows, n}, sizeof(T)).add(sums.data(), {rows}, sizeof(T)).run(entry);
    for (int64_t row = 0; row < rows; ++row) {
      std::vector<T> elements(a.begin() + row * n, a.begin() + (row + 1) * n);
      if (square)
        for (T& x : elements) x *= x;
      EXPECT_EQ(sums[row], tree_sum(elements.data(), n, order)) << n << (square ? " squares" : "");
    }
  }
}

TEST(Reduce, pairwise_sums_have_numpys_bits) {
  std::unique_ptr<Compiler> compiler = open_compiler();
  for (Tier tier : {Tier::quick, Tier::full}) {
    for (ReduceOrder order : {ReduceOrder::pairwise, ReduceOrder::pairwise_complex}) {
      for (bool square : {false, true}) {
        expect_row_sums<double>(*compiler, tier, order, square);
        expect_row_sums<float>(*compiler, tier, order, square);
      }
    }
  }
}

TEST(Reduce, an_all_negative_zero_sum_stays_negative) {
  std::unique_ptr<Compiler> compiler = open_compiler();
  for (ReduceOrder order : {ReduceOrder::pairwise, ReduceOrder::sequential}) {
    const std::vector<double> a(300, -0.0);
    double sum = 1;
    const auto native = compiler->compile(row_sum_kernel(DType::float64, order, false), Tier::full);
    Binding({1}).add(const_cast<double*>(a.data()), {1, 300}, 8).add(&sum, {1}, 8).run(native->entry());
    EXPECT_TRUE(sum == 0 && std::signbit(sum));
    Binding({1}).add(const_cast<double*>(a.data()), {1, 0}, 8).add(&sum, {1}, 8).run(native->entry());
    EXPECT_TRUE(sum == 0 && !std::signbit(sum));
  }
}

TEST(Reduce, sums_over_the_first_axis_run_in_index_order) {
  std::unique_ptr<Compiler> compiler = open_compiler();
  const auto native = compiler->compile(column_sum_kernel(DType::float64), Tier::full);
  for (int64_t columns : {1, 3, 100, 2500, 5000}) {
    const int64_t rows = 37;
    const std::vector<double> a = noise<double>(rows * columns);
    std::vector<double> sums(columns);
    Binding({columns})
        .add(const_cast<double*>(a.data()), {rows, columns}, 8)
        .add(sums.data(), {columns}, 8)
        .run(native->entry());
    for (int64_t c = 0; c < columns; ++c) {
      double sum = a[c];
      for (int64_t r = 1; r < rows; ++r) sum += a[r * columns + c];
      EXPECT_EQ(sums[c], sum);
    }
  }
}

/// out[i] = reduction of a[i, :], compared with the two-operand loop applied in order (these kinds do not depend on the
/// order).
template <class T>
void expect_reduction(Compiler& compiler, DType dtype, ReduceKind kind, const std::vector<T>& a, bool over_first_axis) {
  ir::Builder b(1, "reduction");
  const uint32_t in = b.add_buffer({.dtype = dtype, .ndim = 2, .inner = ir::InnerStride::contiguous});
  const uint32_t out = b.add_buffer(
      {.dtype = dtype, .ndim = 1, .readable = false, .writable = true, .inner = ir::InnerStride::contiguous});
  const Value lane = b.index(0);
  const ReduceOrder order = over_first_axis ? ReduceOrder::sequential : ReduceOrder::pairwise;
  const Value total =
      b.reduce(kind, order, b.constant(DType::int64, 0), b.dimension(in, over_first_axis ? 0 : 1), [&](Value k) {
        const Value at[] = {over_first_axis ? k : lane, over_first_axis ? lane : k};
        return b.load(in, at);
      });
  const Value at[] = {lane};
  b.store(out, total, at);
  const int64_t n = static_cast<int64_t>(a.size());
  const ir::Kernel kernel = b.take();
  for (Tier tier : {Tier::quick, Tier::full}) {
    T result{};
    Binding({1})
        .add(const_cast<T*>(a.data()), {over_first_axis ? n : 1, over_first_axis ? 1 : n}, sizeof(T))
        .add(&result, {1}, sizeof(T))
        .run(compiler.compile(kernel, tier)->entry());
    T expected = a[0];
    const ir::Loop step = ir::find_loop(ir::combining_opcode(kind), dtype, dtype);
    for (int64_t k = 1; k < n; ++k) {
      char* pointers[] = {reinterpret_cast<char*>(&expected), reinterpret_cast<char*>(const_cast<T*>(&a[k])),
                          reinterpret_cast<char*>(&expected)};
      const int64_t strides[] = {0, 0, 0};
      step(pointers, strides, 1);
    }
    EXPECT_TRUE(result == expected || (result != result && expected != expected))
        << static_cast<int>(kind) << " of " << dtype;
  }
}

TEST(Reduce, extremes_and_bit_reductions_agree_with_the_loops) {
  std::unique_ptr<Compiler> compiler = open_compiler();
  for (bool first_axis : {false, true}) {
    for (ReduceKind kind : {ReduceKind::min, ReduceKind::max, ReduceKind::min_num, ReduceKind::max_num}) {
      std::vector<double> a = noise<double>(1000);
      expect_reduction(*compiler, DType::float64, kind, a, first_axis);
      a[500] = std::nan("");
      expect_reduction(*compiler, DType::float64, kind, a, first_axis);
      std::vector<int32_t> integers(1000);
      for (int k = 0; k < 1000; ++k) integers[k] = k * 7919 % 1013 - 500;
      if (kind == ReduceKind::min || kind == ReduceKind::max)
        expect_reduction(*compiler, DType::int32, kind, integers, first_axis);
    }
    std::vector<int64_t> bits(777);
    for (int k = 0; k < 777; ++k) bits[k] = (int64_t{1} << (k % 61)) * 3 + k;
    for (ReduceKind kind :
         {ReduceKind::add, ReduceKind::mul, ReduceKind::bit_and, ReduceKind::bit_or, ReduceKind::bit_xor})
      expect_reduction(*compiler, DType::int64, kind, bits, first_axis);
    std::vector<uint8_t> truths(300, 1);
    for (ReduceKind kind : {ReduceKind::bit_and, ReduceKind::bit_or}) {
      expect_reduction(*compiler, DType::boolean, kind, truths, first_axis);
      std::vector<uint8_t> mixed = truths;
      mixed[211] = 0;
      expect_reduction(*compiler, DType::boolean, kind, mixed, first_axis);
    }
  }
}

}  // namespace
}  // namespace tessera::codegen
