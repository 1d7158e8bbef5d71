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
  std::unique_ptr<char[]> kept_;
};

TEST_F(FlatCallTest, TheResultGoesToTheTarget) {
  const Array a = array_of({1, 2}), b = array_of({3, 4}), target = array_of({0, 0});
  FlatCall sum = call("add", a, b);
  ASSERT_TRUE(redirect(sum, target, a.shape(), kept_));
  EXPECT_EQ(sum.run(false), 0u);
  EXPECT_EQ(elements(target), (Values{4, 6}));
}

TEST_F(FlatCallTest, EventsOfAnOverwrittenOperandAreFound) {
  const Array a = array_of({1, 2}), b = array_of({0, 4});
  FlatCall quotient = call("divide", a, b);
  ASSERT_TRUE(redirect(quotient, a, a.shape(), kept_));
  EXPECT_TRUE(kept_);
  EXPECT_EQ(quotient.run(false), ir::event_divide);
}

TEST_F(FlatCallTest, TargetsThatOverlapInPartAreRefused) {
  const Array a = array_of({1, 2, 3, 4}), b = array_of({1, 1});
  const Array front = a.with_view(a.view.slice(0, 0, 1, 2)), middle = a.with_view(a.view.slice(0, 1, 1, 2));
  FlatCall sum = call("add", front, b);
  EXPECT_FALSE(redirect(sum, middle, front.shape(), kept_));
}

TEST_F(FlatCallTest, AColumnTakesWhatItsOwnElementsGive) {
  const Array a = array_of({1, 2, 3, 4, 5, 6}, {3, 2}), b = array_of({10, 20, 30});
  const Array column = a.with_view(a.view.select(1, 1));
  FlatCall sum{*ops::EagerLoop::uniform(op_named("add"), DType::float64),
               3,
               2,
               {first_element(column), first_element(b)},
               {row_stride(column.view), 8}};
  EXPECT_FALSE(redirect(sum, column, column.shape(), kept_));
  EXPECT_EQ(run_into_column(sum, column, column.shape(), false), 0u);
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
  EXPECT_EQ(run_into_column(quotient, column, column.shape(), false), ir::event_divide);
}

TEST_F(FlatCallTest, ColumnsThatRepeatAnElementAreRefused) {
  const Array a = array_of({1}), b = array_of({1, 1});
  const Array repeated = a.with_view(a.view.broadcast_to(Dims{2}));
  FlatCall sum = call("add", b, b);
  EXPECT_FALSE(run_into_column(sum, repeated, b.shape(), false));
}

TEST_F(FlatCallTest, TargetsOfOtherShapesAreRefused) {
  const Array a = array_of({1, 2}), target = array_of({0, 0, 0});
  FlatCall sum = call("add", a, a);
  EXPECT_FALSE(redirect(sum, target, a.shape(), kept_));
}

}  // namespace
}  // namespace tessera::eager
