#include "tessera/ir/split_body.h"

#include <gtest/gtest.h>

#include "tessera/ir/builder.h"
#include "tessera/ir/run_kernel.h"

namespace tessera::ir {
namespace {

/// Sums 1 x0 + 2 x1 + ..., with a branch on the last operand where `branches`.
Kernel weighted_sum(uint32_t count, bool branches) {
  Builder b(1, "sum");
  for (uint32_t k = 0; k < count; ++k) b.add_buffer({.dtype = DType::float64, .ndim = 1});
  const std::vector<Value> at{b.index(0)};
  std::vector<Value> loads;
  for (uint32_t k = 0; k < count; ++k) loads.push_back(b.load(k, at));
  Value sum = b.constant(DType::float64, 0);
  for (uint32_t k = 0; k < count; ++k) sum = b.add(sum, b.mul(loads[k], b.constant(DType::float64, k + 1)));
  if (branches) {
    const Value condition = b.gt(loads.back(), b.constant(DType::float64, 5));
    sum = b.if_(
        condition, [&](auto) { return std::vector{b.neg(sum)}; },
        [&](auto) { return std::vector{b.add(sum, loads[0])}; })[0];
  }
  b.store(b.add_buffer({.dtype = DType::float64, .ndim = 1, .readable = false, .writable = true}), sum, at);
  return b.take();
}

double run_one(const Kernel& kernel, const std::vector<double>& operands) {
  std::vector<TestArray> arrays;
  for (double value : operands) arrays.push_back(TestArray::of<double>(f64, {1}, {value}));
  arrays.push_back(TestArray::zeros(f64, {1}));
  std::vector<TestArray*> buffers;
  for (TestArray& array : arrays) buffers.push_back(&array);
  run_kernel(kernel, {1}, buffers);
  return arrays.back().values<double>()[0];
}

TEST(SplitBodyTest, StepsComputeWhatTheWholeDoes) {
  for (const bool branches : {false, true})
    for (uint32_t count : {1u, 3u, 8u, 9u, 20u, 27u})
      for (size_t limit : {3u, 4u, 8u}) {
        const Kernel whole = weighted_sum(count, branches);
        std::vector<double> values;
        for (uint32_t k = 0; k < count; ++k) values.push_back(1.5 * k - 2);
        const double wanted = run_one(whole, values);
        const std::vector<BodyStep> steps = split_body(whole, limit);
        ASSERT_FALSE(steps.empty());
        for (const BodyStep& step : steps) {
          EXPECT_LE(step.operands.size(), limit);
          std::vector<double> operands;
          for (size_t operand : step.operands) operands.push_back(values.at(operand));
          values.push_back(run_one(*step.body, operands));
        }
        EXPECT_EQ(values.back(), wanted) << count << " " << limit;
      }
}

TEST(SplitBodyTest, FewOperandsAreOneStep) {
  const std::vector<BodyStep> steps = split_body(weighted_sum(5, true), 8);
  ASSERT_EQ(steps.size(), 1u);
  EXPECT_EQ(steps[0].operands.size(), 5u);
}

TEST(SplitBodyTest, AnInstructionWithTooManyOperandsIsNotSplit) {
  Builder b(1, "all");
  for (uint32_t k = 0; k < 4; ++k) b.add_buffer({.dtype = DType::float64, .ndim = 1});
  const std::vector<Value> at{b.index(0)};
  std::vector<Value> loads;
  for (uint32_t k = 0; k < 4; ++k) loads.push_back(b.load(k, at));
  const Value result = b.if_(
      b.gt(loads[0], loads[1]), [&](auto) { return std::vector{b.add(loads[0], loads[2])}; },
      [&](auto) { return std::vector{b.mul(loads[1], loads[3])}; })[0];
  b.store(b.add_buffer({.dtype = DType::float64, .ndim = 1, .readable = false, .writable = true}), result, at);
  EXPECT_TRUE(split_body(b.take(), 3).empty());
}

}  // namespace
}  // namespace tessera::ir
