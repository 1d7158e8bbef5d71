#include "tessera/kernel/lower/facts.h"

#include <gtest/gtest.h>

namespace tessera::kernel {
namespace {

struct FactsTest : testing::Test {
  ir::Builder b{1};
  Facts facts{b};
  ir::Value index = b.index(0);
  ir::Value number = b.scalar(b.add_scalar(DType::int64));
  ir::Value constant(int64_t value) { return b.constant(Scalar::of_int(DType::int64, value)); }
};

TEST_F(FactsTest, coordinates_and_what_is_computed_from_them_is_not_negative) {
  EXPECT_TRUE(facts.is_non_negative(b.add(b.mul(index, b.extent(0)), index)));
  EXPECT_TRUE(facts.is_non_negative(b.binary(ir::Opcode::floor_mod, number, b.extent(0))));
  EXPECT_EQ(facts.lower_bound(b.add(index, constant(3))), 3);
  EXPECT_FALSE(facts.is_non_negative(b.sub(index, constant(1))));
  EXPECT_FALSE(facts.is_non_negative(number));
}

TEST_F(FactsTest, a_condition_holds_until_it_is_forgotten) {
  const ir::Value below = b.sub(index, constant(1));
  const size_t mark = facts.assume(b.bit_and(b.gt(index, constant(0)), b.lt(index, number)), true);
  EXPECT_TRUE(facts.is_non_negative(below));
  EXPECT_TRUE(facts.is_non_negative(number));
  facts.forget(mark);
  EXPECT_FALSE(facts.is_non_negative(below));
}

TEST_F(FactsTest, counters_and_their_neighbours_are_at_most_a_step_outside) {
  const ir::Value length = b.extent(0), next = b.add(index, constant(1)), before = b.sub(index, constant(1));
  EXPECT_FALSE(facts.steps_outside(index, length));
  const size_t mark = facts.assume_less(index, length);
  EXPECT_EQ(facts.steps_outside(index, length), 0);
  EXPECT_EQ(facts.steps_outside(next, length), 1);
  EXPECT_EQ(facts.steps_outside(before, length), -1);
  EXPECT_FALSE(facts.steps_outside(b.add(index, constant(2)), length));
  EXPECT_FALSE(facts.steps_outside(b.sub(constant(1), index), length));
  EXPECT_FALSE(facts.steps_outside(next, number));
  facts.forget(mark);
  EXPECT_FALSE(facts.steps_outside(next, length));
}

TEST_F(FactsTest, where_a_condition_does_not_hold_its_opposite_does) {
  facts.assume(b.bit_or(b.lt(number, constant(2)), b.eq(index, constant(5))), false);
  EXPECT_EQ(facts.lower_bound(number), 2);
}

TEST_F(FactsTest, sums_of_squares_and_positive_numbers_are_never_zero) {
  const ir::Value x = b.scalar(b.add_scalar(DType::float64)), y = b.scalar(b.add_scalar(DType::float64));
  const ir::Value squares = b.add(b.mul(x, x), b.mul(y, y)), small = b.constant(DType::float64, 0.01);
  EXPECT_TRUE(facts.is_never_zero(b.sqrt(b.add(squares, small))));
  EXPECT_TRUE(facts.is_never_zero(b.add(small, b.mul(small, b.abs(x)))));
  EXPECT_TRUE(facts.is_never_zero(b.neg(small)));
  EXPECT_FALSE(facts.is_never_zero(squares));
  const ir::Value positive = b.add(small, squares);
  EXPECT_TRUE(facts.is_never_zero(positive));
  EXPECT_FALSE(facts.is_never_zero(b.mul(positive, small)));
  EXPECT_FALSE(facts.is_never_zero(b.add(b.mul(x, y), small)));
  EXPECT_FALSE(facts.is_never_zero(b.exp(x)));
  EXPECT_FALSE(facts.is_never_zero(b.cast(positive, DType::float32)));
}

TEST_F(FactsTest, a_condition_tells_that_a_number_is_not_zero) {
  const ir::Value x = b.scalar(b.add_scalar(DType::float64)), y = b.scalar(b.add_scalar(DType::float64));
  const ir::Value zero = b.constant(DType::float64, 0);
  const size_t mark = facts.assume(b.ne(x, zero), true);
  EXPECT_TRUE(facts.is_never_zero(x));
  EXPECT_FALSE(facts.is_never_zero(b.add(x, b.constant(DType::float64, 1))));
  facts.forget(mark);
  EXPECT_FALSE(facts.is_never_zero(x));
  facts.assume(b.le(y, zero), false);
  EXPECT_TRUE(facts.is_never_zero(y));
  EXPECT_TRUE(facts.is_never_zero(b.add(y, y)));
  EXPECT_FALSE(facts.is_never_zero(b.mul(y, y)));
}

TEST_F(FactsTest, what_a_counter_has_not_reached_is_above_it) {
  EXPECT_FALSE(facts.is_never_zero(number));
  const size_t mark = facts.assume_less(index, number);
  EXPECT_TRUE(facts.is_never_zero(number));
  facts.forget(mark);
  EXPECT_FALSE(facts.is_never_zero(number));
}

TEST_F(FactsTest, an_expectation_that_was_used_and_refuted_is_reported) {
  facts.expect_non_negative(number);
  EXPECT_FALSE(facts.keeps_expectation(b.sub(number, constant(1))));
  EXPECT_TRUE(facts.is_non_negative(number));
  EXPECT_TRUE(facts.refute(number));
  EXPECT_FALSE(facts.is_non_negative(number));
  facts.expect_non_negative(index);
  EXPECT_FALSE(facts.refute(index));
}

}  // namespace
}  // namespace tessera::kernel
