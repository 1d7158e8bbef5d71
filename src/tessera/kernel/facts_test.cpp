#include "tessera/kernel/facts.h"

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

TEST_F(FactsTest, where_a_condition_does_not_hold_its_opposite_does) {
  facts.assume(b.bit_or(b.lt(number, constant(2)), b.eq(index, constant(5))), false);
  EXPECT_EQ(facts.lower_bound(number), 2);
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
