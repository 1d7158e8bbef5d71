#include "tessera/ir/loop_index.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>

#include "tessera/ir/builder.h"
#include "tessera/ir/run_kernel.h"

namespace tessera::ir {
namespace {

constexpr int64_t most_int64 = std::numeric_limits<int64_t>::max(), least_int64 = std::numeric_limits<int64_t>::min();

struct Numbers {
  int64_t lower, upper, step, count;
};

/// Ranges whose last index plus the step is no int64.
constexpr Numbers at_the_ends[] = {{3, most_int64, most_int64, 1},
                                   {most_int64 - 10, most_int64, 3, 4},
                                   {least_int64, most_int64, most_int64, 3},
                                   {-5, least_int64, -most_int64, 1},
                                   {least_int64 + 7, least_int64, -3, 3},
                                   {most_int64, least_int64, least_int64, 2},
                                   {least_int64, most_int64, most_int64 / 2 + 1, 4},
                                   {5, 5, most_int64, 0},
                                   {most_int64, 5, most_int64, 0}};

TEST(LoopIndex, ends_at_the_bound_where_the_next_is_no_int64) {
  EXPECT_EQ(next_index(3, 10, 4), 7);
  EXPECT_EQ(next_index(3, most_int64, most_int64), most_int64);
  EXPECT_EQ(next_index(-3, least_int64, least_int64), least_int64);
  EXPECT_EQ(next_index(most_int64, most_int64, -1), most_int64 - 1);
}

TEST(LoopIndex, stays_an_int64_for_steps_of_one_and_for_lengths) {
  Builder b(1);
  const uint32_t x = b.add_buffer({.dtype = DType::int64, .ndim = 1});
  const Value number = b.scalar(b.add_scalar(DType::int64)), length = b.dimension(x, 0);
  const auto leaves = [&](Value upper, Value step) { return may_leave_int64(b.kernel(), upper, step); };
  const auto constant = [&](int64_t k) { return b.constant(Scalar::of_int(DType::int64, k)); };
  EXPECT_FALSE(leaves(number, constant(1)));
  EXPECT_FALSE(leaves(constant(least_int64), constant(-1)));
  EXPECT_FALSE(leaves(length, constant(2)));
  EXPECT_FALSE(leaves(b.sub(length, constant(1)), constant(-5)));
  EXPECT_FALSE(leaves(length, b.extent(0)));
  EXPECT_TRUE(leaves(number, constant(2)));
  EXPECT_TRUE(leaves(length, number));
  EXPECT_TRUE(leaves(length, constant(most_int64)));
  EXPECT_TRUE(leaves(constant(most_int64), constant(2)));
}

TEST(LoopIndex, loops_end_at_the_ends_of_int64) {
  Builder b(1);
  uint32_t buffers[4];
  for (int k = 0; k < 4; ++k)
    buffers[k] = b.add_buffer({.dtype = DType::int64, .ndim = 1, .readable = k < 3, .writable = k == 3});
  const Value at[] = {b.index(0)};
  const Value start[] = {b.constant(DType::int64, 0)};
  const auto result =
      b.for_(b.load(buffers[0], at), b.load(buffers[1], at), b.load(buffers[2], at), start,
             [&](std::span<const Value> args) { return std::vector{b.add(args[1], b.constant(DType::int64, 1))}; });
  b.store(buffers[3], result[0], at);
  const Kernel kernel = b.take();
  constexpr int64_t n = std::size(at_the_ends);
  TestArray lower = TestArray::zeros(DType::int64, {n}), upper = lower, step = lower, counts = lower;
  for (int64_t k = 0; k < n; ++k) {
    const Numbers& of = at_the_ends[k];
    for (auto [array, value] : {std::pair{&lower, of.lower}, {&upper, of.upper}, {&step, of.step}})
      std::memcpy(array->bytes.data() + 8 * k, &value, 8);
  }
  run_kernel(kernel, {n}, {&lower, &upper, &step, &counts});
  for (int64_t k = 0; k < n; ++k) EXPECT_EQ(counts.values<int64_t>()[k], at_the_ends[k].count) << k;
}

}  // namespace
}  // namespace tessera::ir
