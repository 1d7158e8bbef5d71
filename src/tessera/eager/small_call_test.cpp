#include "tessera/eager/small_call.h"

#include <gtest/gtest.h>

#include <array>
#include <limits>

#include "tessera/eager/sample_arrays_test.h"

namespace tessera::eager {
namespace {

std::optional<uint32_t> call(const char* name, std::initializer_list<Operand> operands, const Dims& shape, Array& out,
                             bool underflow = false) {
  const ops::Op& op = op_named(name);
  return try_call(op, loop_of(op), {operands.begin(), operands.size()}, shape, std::span(&out, 1), underflow);
}

TEST(SmallCallTest, ArraysOfOneShapeAreAdded) {
  Array out;
  EXPECT_EQ(call("add", {array_of({1, 2, 3}), array_of({10, 20, 30})}, Dims{3}, out), 0u);
  EXPECT_EQ(elements(out), (Values{11, 22, 33}));
}

TEST(SmallCallTest, OperandsAreBroadcast) {
  Array out;
  const Scalar two = Scalar::of_float(DType::float64, 2);
  EXPECT_EQ(call("multiply", {array_of({1, 2, 3, 4}, {2, 2}), array_of({1, 10})}, Dims{2, 2}, out), 0u);
  EXPECT_EQ(elements(out), (Values{1, 20, 3, 40}));
  Array doubled;
  EXPECT_EQ(call("multiply", {out, two}, Dims{2, 2}, doubled), 0u);
  EXPECT_EQ(elements(doubled), (Values{2, 40, 6, 80}));
}

TEST(SmallCallTest, OperandsOfOtherTypesAreCast) {
  Array integers = make_array(View::contiguous(Dims{2}, DType::int32)), out;
  *reinterpret_cast<std::array<int32_t, 2>*>(first_element(integers)) = {3, -4};
  EXPECT_EQ(call("add", {array_of({0.5, 0.25}), integers}, Dims{2}, out), 0u);
  EXPECT_EQ(elements(out), (Values{3.5, -3.75}));
}

TEST(SmallCallTest, AnOutputMayBeAnOperand) {
  Array a = array_of({1, 2});
  EXPECT_EQ(call("add", {a, array_of({1, 1})}, Dims{2}, a), 0u);
  EXPECT_EQ(elements(a), (Values{2, 3}));
}

TEST(SmallCallTest, AnOutputThatOverlapsAnOperandIsLeftToTheCaller) {
  const Array a = array_of({1, 2, 3});
  Array shifted = a.with_view(a.view.slice(0, 1, 1, 2));
  EXPECT_EQ(call("add", {a.with_view(a.view.slice(0, 0, 1, 2)), array_of({1, 1})}, Dims{2}, shifted), std::nullopt);
  EXPECT_EQ(elements(a), (Values{1, 2, 3}));
}

TEST(SmallCallTest, LargeArraysAreLeftToTheCaller) {
  const Array large = array_of(Values(small_limit + 1, 1.0));
  Array out;
  EXPECT_EQ(call("add", {large, large}, large.shape(), out), std::nullopt);
  EXPECT_FALSE(out);
}

TEST(SmallCallTest, EventsAreFoundFromOverwrittenOperands) {
  Array a = array_of({1, 0});
  EXPECT_EQ(call("divide", {a, array_of({0, 0})}, Dims{2}, a), ir::event_divide | ir::event_invalid);
}

TEST(SmallCallTest, UnderflowIsFoundWhereItIsAskedFor) {
  const Array tiny = array_of({1e-200});
  Array out, watched;
  EXPECT_EQ(call("multiply", {tiny, tiny}, Dims{1}, out), 0u);
  EXPECT_EQ(call("multiply", {tiny, tiny}, Dims{1}, watched, true), ir::event_underflow);
}

TEST(SmallCallTest, ScalarsAreComputedWithTheirEvents) {
  const ops::Op& op = op_named("divide");
  const Operand operands[] = {Scalar::of_float(DType::float64, 1), Scalar::of_float(DType::float64, 0)};
  Scalar result;
  EXPECT_EQ(run_scalars(op, loop_of(op), operands, std::span(&result, 1), false), ir::event_divide);
  EXPECT_EQ(*reinterpret_cast<const double*>(result.bytes), std::numeric_limits<double>::infinity());
}

}  // namespace
}  // namespace tessera::eager
