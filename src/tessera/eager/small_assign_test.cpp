#include "tessera/eager/small_assign.h"

#include <gtest/gtest.h>

#include "tessera/eager/sample_arrays_test.h"
#include "tessera/eager/small_call.h"

namespace tessera::eager {
namespace {

TEST(SmallAssignTest, AScalarFillsAView) {
  const Array a = array_of({1, 2, 3, 4});
  const Array every_second = a.with_view(a.view.slice(0, 0, 2, 2));
  EXPECT_EQ(try_assign(every_second, Scalar::of_float(DType::float64, 9), false), 0u);
  EXPECT_EQ(elements(a), (Values{9, 2, 9, 4}));
}

TEST(SmallAssignTest, ARowIsBroadcast) {
  const Array a = array_of(Values(4), {2, 2});
  EXPECT_EQ(try_assign(a, array_of({1, 2}), false), 0u);
  EXPECT_EQ(elements(a), (Values{1, 2, 1, 2}));
}

TEST(SmallAssignTest, ANarrowingCastReportsItsEvents) {
  array_of({});
  const Array narrow = make_array(View::contiguous(Dims{1}, DType::float32));
  EXPECT_EQ(try_assign(narrow, array_of({1e300}), false), ir::event_overflow);
  EXPECT_EQ(try_assign(narrow, array_of({1e-44}), true), ir::event_underflow);
  EXPECT_EQ(try_assign(narrow, array_of({1e-44}), false), 0u);
}

TEST(SmallAssignTest, AViewIsStoredOverElementsThatItShares) {
  const Array a = array_of({1, 2, 3});
  EXPECT_EQ(try_assign(a.with_view(a.view.slice(0, 1, 1, 2)), a.with_view(a.view.slice(0, 0, 1, 2)), false), 0u);
  EXPECT_EQ(elements(a), (Values{1, 1, 2}));
}

TEST(SmallAssignTest, AColumnIsStoredIntoAnother) {
  const Array a = array_of({1, 2, 3, 4, 5, 6}, {3, 2});
  EXPECT_EQ(try_assign(a.with_view(a.view.select(1, 0)), a.with_view(a.view.select(1, 1)), false), 0u);
  EXPECT_EQ(elements(a), (Values{2, 2, 4, 4, 6, 6}));
}

TEST(SmallAssignTest, LargeArraysAreLeftToTheCaller) {
  EXPECT_FALSE(try_assign(array_of(Values(small_limit + 1)), Scalar::of_float(DType::float64, 0), false));
}

}  // namespace
}  // namespace tessera::eager
