#include "tessera/ops/eager_loop.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tessera/eager/finite.h"
#include "tessera/eager/sample_arrays_test.h"
#include "tessera/ops/underflow.h"

namespace tessera::eager {
namespace {

/// op(x...) of single elements, and the events.
std::pair<double, uint32_t> run(const char* name, Values x, bool underflow = false) {
  const ops::EagerLoop& loop = *ops::EagerLoop::uniform(op_named(name), DType::float64);
  double result = 0;
  SmallVector<char*, 4> pointers;
  for (double& value : x) pointers.push_back(reinterpret_cast<char*>(&value));
  pointers.push_back(reinterpret_cast<char*>(&result));
  const SmallVector<int64_t, 4> strides(pointers.size());
  loop.run(pointers.data(), strides.data(), 1);
  return {result, loop.events(pointers.data(), strides.data(), 1, underflow)};
}

TEST(EagerLoopTest, OpsOfOnePrimitiveAndOfManyAreRun) {
  EXPECT_EQ(run("add", {1, 2}).first, 3);
  EXPECT_EQ(run("square", {3}).first, 9);         // the primitive's operand twice
  EXPECT_EQ(run("reciprocal", {4}).first, 0.25);  // a constant operand
  EXPECT_EQ(run("logaddexp", {0, 0}).first, std::log(2.0));
}

TEST(EagerLoopTest, ALoopIsBuiltOnce) {
  const ops::Op& op = op_named("add");
  EXPECT_EQ(ops::EagerLoop::uniform(op, DType::float64), &ops::EagerLoop::of(op, loop_of(op)));
  EXPECT_EQ(ops::EagerLoop::uniform(op_named("ldexp"), DType::float64), nullptr);
}

TEST(EagerLoopTest, EventsAreFoundFromOperandsAndResult) {
  EXPECT_EQ(run("divide", {1, 0}).second, ir::event_divide);
  EXPECT_EQ(run("sqrt", {-1}).second, ir::event_invalid);
  EXPECT_EQ(run("multiply", {1e200, 1e200}).second, ir::event_overflow);
}

TEST(EagerLoopTest, OnlyInexactTinyResultsUnderflow) {
  EXPECT_EQ(run("multiply", {1e-200, 1e-200}, true).second, ir::event_underflow);
  EXPECT_EQ(run("multiply", {0x1p-1000, 0x1p-30}, true).second, 0u);  // exact, although subnormal
  EXPECT_EQ(run("multiply", {0, 1e-200}, true).second, 0u);
  EXPECT_EQ(run("exp", {-800}, true).second, ir::event_underflow);
}

TEST(EagerLoopTest, ResultsThatAreNotFiniteAreDetected) {
  for (const double special : {std::numeric_limits<double>::infinity(), std::nan("")}) {
    Values values(37, 1.5);
    EXPECT_TRUE(all_finite(DType::float64, reinterpret_cast<const char*>(values.data()), 37));
    values[36] = special;
    EXPECT_FALSE(all_finite(DType::float64, reinterpret_cast<const char*>(values.data()), 37));
  }
}

}  // namespace
}  // namespace tessera::eager
