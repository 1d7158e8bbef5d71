#include "tessera/eager/operand_shapes.h"

#include <gtest/gtest.h>

#include "tessera/base/error.h"
#include "tessera/eager/sample_arrays_test.h"

namespace tessera::eager {
namespace {

TEST(OperandShapesTest, OperandsAreBroadcastTogether) {
  const Operand operands[] = {array_of(Values(3), {3, 1}), array_of(Values(2)), Scalar::of_float(DType::float64, 1)};
  EXPECT_EQ(meet_shapes(operands, nullptr, {}), (Dims{3, 2}));
}

TEST(OperandShapesTest, AnOutputMayBeLargerButIsNotBroadcast) {
  const Operand row[] = {array_of(Values(2))};
  const Array outputs[] = {array_of(Values(6), {3, 2})};
  EXPECT_EQ(meet_shapes(row, nullptr, outputs), (Dims{3, 2}));
  const Operand table[] = {outputs[0]};
  const Array vector[] = {array_of(Values(2))};
  EXPECT_THROW(meet_shapes(table, nullptr, vector), ShapeError);
}

TEST(OperandShapesTest, TheErrorListsTheShapes) {
  const Operand operands[] = {array_of(Values(3)), array_of(Values(2))};
  try {
    meet_shapes(operands, nullptr, {});
    ADD_FAILURE() << "the shapes were accepted";
  } catch (const ShapeError& error) {
    EXPECT_STREQ(error.what(), "operands could not be broadcast together with shapes (3,) (2,) ");
  }
}

}  // namespace
}  // namespace tessera::eager
