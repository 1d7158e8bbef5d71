#include "tessera/eager/flat_call.h"

#include <gtest/gtest.h>

#include "tessera/eager/sample_arrays_test.h"

namespace tessera::eager {
namespace {

class FlatCallTest : public ::testing::Test {
 protected:
  FlatCall call(const char* name, const Array& a, const Array& b) {
    return {*ops::EagerLoop::uniform(op_named(name), DType::float64),
            a.size(),
            2,
            {first_element(a), first_element(b)},
            {8, 8}};
  }
};

TEST_F(FlatCallTest, TheResultGoesToTheTarget) {
  const Array a = array_of({1, 2}), b = array_of({3, 4}), target = array_of({0, 0});
  FlatCall sum = call("add", a, b);
  ASSERT_TRUE(redirect(sum, target, a.shape()));
  EXPECT_EQ(sum.run(false), 0u);
  EXPECT_EQ(elements(target), (Values{4, 6}));
}

TEST_F(FlatCallTest, EventsOfAnOverwrittenOperandAreFound) {
  const Array a = array_of({1, 2}), b = array_of({0, 4});
  FlatCall quotient = call("divide", a, b);
  ASSERT_FALSE(redirect(quotient, a, a.shape()));
  EXPECT_EQ(try_run_into(quotient, a, a.shape(), false), ir::event_divide);
}

TEST_F(FlatCallTest, ShortTargetsThatOverlapInPartWait) {
  const Array a = array_of({1, 2, 3, 4}), b = array_of({10, 10});
  const Array front = a.with_view(a.view.slice(0, 0, 1, 2)), middle = a.with_view(a.view.slice(0, 1, 1, 2));
  FlatCall sum = call("add", front, b);
  EXPECT_FALSE(redirect(sum, middle, front.shape()));
  EXPECT_EQ(try_run_into(sum, middle, front.shape(), false), 0u);
  EXPECT_EQ(elements(a), (Values{1, 11, 12, 4}));
}

TEST_F(FlatCallTest, LongTargetsThatOverlapInPartAreRefused) {
  const Array a = array_of(Values(5001, 1)), b = array_of(Values(5000, 1));
  const Array front = a.with_view(a.view.slice(0, 0, 1, 5000)), middle = a.with_view(a.view.slice(0, 1, 1, 5000));
  FlatCall sum = call("add", front, b);
  EXPECT_FALSE(try_run_into(sum, middle, front.shape(), false));
  EXPECT_EQ(elements(a), Values(5001, 1));
}

TEST_F(FlatCallTest, LongRowsAreAddedToThemselves) {
  const Array a = array_of(Values(5000, 1)), b = array_of(Values(5000, 2));
  FlatCall sum = call("add", a, b);
  EXPECT_EQ(try_run_into(sum, a, a.shape(), false), 0u);
  EXPECT_EQ(elements(a), Values(5000, 3));
}

TEST_F(FlatCallTest, ReversedOperandsAreTurned) {
  Values up(5000), down(5000);
  for (size_t k = 0; k < 5000; ++k) up[k] = static_cast<double>(k), down[4999 - k] = static_cast<double>(k) + 0.5;
  const Array a = array_of(up), b = array_of(down), target = array_of(Values(5000));
  FlatCall sum = call("add", a, b);
  sum.pointers[1] += 8 * 4999, sum.strides[1] = -8;
  EXPECT_EQ(run_into_new(sum, first_element(target), false), 0u);
  for (size_t k = 0; k < 5000; ++k) up[k] += static_cast<double>(k) + 0.5;
  EXPECT_EQ(elements(target), up);
}

TEST_F(FlatCallTest, AColumnTakesWhatItsOwnElementsGive) {
  const Array a = array_of({1, 2, 3, 4, 5, 6}, {3, 2}), b = array_of({10, 20, 30});
  const Array column = a.with_view(a.view.select(1, 1));
  FlatCall sum{*ops::EagerLoop::uniform(op_named("add"), DType::float64),
               3,
               2,
               {first_element(column), first_element(b)},
               {row_stride(column.view), 8}};
  EXPECT_FALSE(redirect(sum, column, column.shape()));
  EXPECT_EQ(try_run_into(sum, column, column.shape(), false), 0u);
  EXPECT_EQ(elements(a), (Values{1, 12, 3, 24, 5, 36}));
}

TEST_F(FlatCallTest, EventsOfAColumnThatIsOverwrittenAreFound) {
  const Array a = array_of({1, 0, 2, 0}, {2, 2}), b = array_of({0, 4});
  const Array column = a.with_view(a.view.select(1, 0));
  FlatCall quotient{*ops::EagerLoop::uniform(op_named("divide"), DType::float64),
                    2,
                    2,
                    {first_element(column), first_element(b)},
                    {row_stride(column.view), 8}};
  EXPECT_EQ(try_run_into(quotient, column, column.shape(), false), ir::event_divide);
}

TEST_F(FlatCallTest, ColumnsThatRepeatAnElementAreRefused) {
  const Array a = array_of({1}), b = array_of({1, 1});
  const Array repeated = a.with_view(a.view.broadcast_to(Dims{2}));
  FlatCall sum = call("add", b, b);
  EXPECT_FALSE(try_run_into(sum, repeated, b.shape(), false));
}

TEST_F(FlatCallTest, TargetsOfOtherShapesAreRefused) {
  const Array a = array_of({1, 2}), target = array_of({0, 0, 0});
  FlatCall sum = call("add", a, a);
  EXPECT_FALSE(redirect(sum, target, a.shape()));
}

}  // namespace
}  // namespace tessera::eager
