#include "tessera/eager/pick.h"

#include <gtest/gtest.h>

#include "tessera/eager/any_negative.h"
#include "tessera/eager/sample_arrays_test.h"
#include "tessera/ops/run_at.h"

namespace tessera::eager {
namespace {

TEST(PickTest, RowsArePickedByPositiveAndNegativeIndices) {
  const Array source = array_of({1, 2, 3, 4, 5, 6}, {3, 2});
  const Array picked = array_of(Values(4), {2, 2});
  const int64_t at[] = {2, -3};
  ASSERT_EQ(row_size(source.view), 2);
  ASSERT_TRUE(pick_rows(first_element(source), source.view, at, 16, first_element(picked)));
  EXPECT_EQ(elements(picked), (Values{5, 6, 1, 2}));
}

TEST(PickTest, AnIndexOutOfRangeIsRefused) {
  const Array source = array_of({1, 2, 3}), picked = array_of({0});
  for (const int64_t outside : {int64_t{3}, int64_t{-4}}) {
    EXPECT_FALSE(pick_rows(first_element(source), source.view, std::span(&outside, 1), 8, first_element(picked)));
    EXPECT_FALSE(put_elements(first_element(source), source.view, std::span(&outside, 1), &outside, 0));
  }
}

TEST(PickTest, AnElementIsStoredAtEveryIndex) {
  const Array target = array_of({1, 2, 3, 4});
  const int64_t at[] = {0, -1};
  const double nine = 9;
  ASSERT_TRUE(put_elements(first_element(target), target.view, at, &nine, 0));
  EXPECT_EQ(elements(target), (Values{9, 2, 3, 9}));
}

TEST(PickTest, AnOpIsAppliedAtRepeatedIndicesOneAfterAnother) {
  const Array target = array_of({1, 2, 3});
  const double second = 10;
  const int64_t at[] = {1, 1, 0};
  const ops::EagerLoop& add = *ops::EagerLoop::uniform(op_named("add"), DType::float64);
  EXPECT_EQ(ops::run_at(add, first_element(target), target.view, at, reinterpret_cast<const char*>(&second), 0, false),
            0u);
  EXPECT_EQ(elements(target), (Values{11, 22, 3}));
}

TEST(PickTest, NegativeIntegersAreFound) {
  const int16_t values[] = {3, 0, -1};
  EXPECT_TRUE(any_negative(DType::int16, reinterpret_cast<const char*>(values), 3));
  EXPECT_FALSE(any_negative(DType::int16, reinterpret_cast<const char*>(values), 2));
}

}  // namespace
}  // namespace tessera::eager
