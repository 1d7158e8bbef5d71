#include "tessera/eager/small_reduce.h"

#include <gtest/gtest.h>

#include <limits>
#include <numeric>

#include "tessera/eager/reduction.h"
#include "tessera/eager/sample_arrays_test.h"

namespace tessera::eager {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

std::optional<Reduced> reduce(const char* name, const Array& source, std::vector<int> axes,
                              std::optional<Scalar> initial = {}) {
  const ops::Op& op = op_named(name);
  return try_reduce(op, reduction_signature(op, source.dtype(), {}, {}), source, axes, initial, false);
}

TEST(SmallReduceTest, AllElementsAreSummed) {
  const auto sum = reduce("add", array_of({1, 2, 3, 4}, {2, 2}), {0, 1});
  ASSERT_TRUE(sum);
  EXPECT_EQ(sum->events, 0u);
  EXPECT_EQ(elements(sum->array), (Values{10}));
}

TEST(SmallReduceTest, RowsAndColumnsAreReduced) {
  const Array source = array_of({1, 2, 3, 4, 5, 6}, {2, 3});
  EXPECT_EQ(elements(reduce("add", source, {1})->array), (Values{6, 15}));
  EXPECT_EQ(elements(reduce("maximum", source, {0})->array), (Values{4, 5, 6}));
}

TEST(SmallReduceTest, TheInitialValueIsJoined) {
  const auto sum = reduce("add", array_of({1, 2}), {0}, Scalar::of_float(DType::float64, 100));
  EXPECT_EQ(elements(sum->array), (Values{103}));
}

TEST(SmallReduceTest, InfinityFromFiniteElementsIsAnOverflow) {
  EXPECT_EQ(reduce("add", array_of({1e308, 1e308}), {0})->events, ir::event_overflow);
  EXPECT_EQ(reduce("add", array_of({infinity, 1}), {0})->events, 0u);
  EXPECT_EQ(reduce("add", array_of({infinity, -infinity}), {0})->events, ir::event_invalid);
}

TEST(SmallReduceTest, LargeArraysAndUnorderedAxesAreLeftToTheEngine) {
  EXPECT_FALSE(reduce("add", array_of(Values(reduce_limit + 1, 1.0)), {0}));
  const Array cube = array_of(Values(24, 1.0), {2, 3, 4});
  EXPECT_FALSE(reduce("add", cube.with_view(cube.view.transpose()), {1, 2}));
}

TEST(SmallReduceTest, ManyElementsAreReducedInParts) {
  Values values(1 << 19);
  std::iota(values.begin(), values.end(), 0.0);
  double largest = 0;
  const ir::ReduceLoop loop = ir::find_reduce_loop(ir::ReduceKind::max, ir::ReduceOrder::sequential, DType::float64);
  reduce_whole(loop, reinterpret_cast<const char*>(values.data()), 8, static_cast<int64_t>(values.size()),
               reinterpret_cast<char*>(&largest));
  EXPECT_EQ(largest, values.back());
}

}  // namespace
}  // namespace tessera::eager
