#include "tessera/eager/reduction.h"

#include <gtest/gtest.h>

#include "tessera/base/error.h"
#include "tessera/eager/sample_arrays_test.h"

namespace tessera::eager {
namespace {

const ops::EagerLoop& loop_named(const char* name) { return *ops::EagerLoop::uniform(op_named(name), DType::float64); }

class ReductionTest : public ::testing::Test {
 protected:
  uint32_t reduce(const char* name, const Array& source, std::vector<int> axes, const Scalar* initial = nullptr,
                  const HostView* where = nullptr) {
    result_ = make_array(View::contiguous(without_axes(source.view, axes).shape, DType::float64));
    return reduce_axes(loop_named(name), elements_of(source), axes, initial, where, elements_of(result_), false);
  }
  Array result_;
};

TEST_F(ReductionTest, ElementsAreReducedInIndexOrder) {
  EXPECT_EQ(reduce("subtract", array_of({10, 3, 2}), {0}), 0u);
  EXPECT_EQ(elements(result_), (Values{5}));
}

TEST_F(ReductionTest, SeveralAxesAreReduced) {
  reduce("add", array_of({1, 2, 3, 4, 5, 6, 7, 8}, {2, 2, 2}), {0, 2});
  EXPECT_EQ(elements(result_), (Values{14, 22}));
}

TEST_F(ReductionTest, MaskedElementsAreSkipped) {
  Array mask = make_array(View::contiguous(Dims{2, 2}, DType::boolean));
  std::copy_n("\1\0\0\1", 4, first_element(mask));
  const Scalar start = Scalar::of_float(DType::float64, 100);
  const HostView where = elements_of(mask);
  reduce("add", array_of({1, 2, 3, 4}, {2, 2}), {0}, &start, &where);
  EXPECT_EQ(elements(result_), (Values{101, 104}));
}

TEST_F(ReductionTest, AnEmptyReductionIsTheInitialValue) {
  const Scalar start = Scalar::of_float(DType::float64, 7);
  reduce("add", array_of({}, {0, 2}), {0}, &start);
  EXPECT_EQ(elements(result_), (Values{7, 7}));
}

TEST_F(ReductionTest, EventsOfEachStepAreFound) {
  EXPECT_EQ(reduce("divide", array_of({1, 0}), {0}), ir::event_divide);
  EXPECT_EQ(reduce("divide", array_of({1, 0, 2}), {0}), ir::event_divide);
  EXPECT_EQ(reduce("divide", array_of({1, 0, 2, 4}, {2, 2}), {0}), 0u);
}

TEST_F(ReductionTest, SmallIntegersAreSummedInWideOnes) {
  EXPECT_EQ(reduction_signature(op_named("add"), DType::int8, {}, {}).in[0], DType::int64);
  EXPECT_EQ(reduction_signature(op_named("add"), DType::uint8, {}, {}).in[0], DType::uint64);
  EXPECT_EQ(reduction_signature(op_named("add"), DType::int8, DType::int16, {}).in[0], DType::int16);
}

}  // namespace
}  // namespace tessera::eager
