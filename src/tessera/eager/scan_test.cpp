#include "tessera/eager/scan.h"

#include <gtest/gtest.h>

#include "tessera/eager/sample_arrays_test.h"

namespace tessera::eager {
namespace {

TEST(HostScanTest, ElementsAreJoinedAlongTheAxis) {
  const Array source = array_of({1, 2, 3, 4, 5, 6}, {2, 3});
  Array result = array_of(Values(6), {2, 3});
  const ops::EagerLoop& add = *ops::EagerLoop::uniform(op_named("add"), DType::float64);
  scan_axis(add, elements_of(source), 1, elements_of(result));
  EXPECT_EQ(elements(result), (Values{1, 3, 6, 4, 9, 15}));
  scan_axis(add, elements_of(source), 0, elements_of(result));
  EXPECT_EQ(elements(result), (Values{1, 2, 3, 5, 7, 9}));
}

TEST(HostScanTest, EventsAreFoundFromEachStep) {
  const Array source = array_of({1e308, 1e308, 1});
  Array result = array_of(Values(3));
  const ops::EagerLoop& add = *ops::EagerLoop::uniform(op_named("add"), DType::float64);
  scan_axis(add, elements_of(source), 0, elements_of(result));
  EXPECT_EQ(scan_events(add, elements_of(source), 0, elements_of(result), false), ir::event_overflow);
}

TEST(HostScanTest, SlicesAreReducedOrTakenWhereTheyAreEmpty) {
  const ops::Op& op = op_named("add");
  const Array source = array_of({1, 2, 3, 4, 5});
  Array result = array_of(Values(3));
  const int64_t starts[] = {0, 3, 1};
  const uint32_t events = reduce_slices(op, *ops::EagerLoop::uniform(op, DType::float64), elements_of(source), starts,
                                        0, elements_of(result));
  EXPECT_EQ(events, 0u);
  EXPECT_EQ(elements(result), (Values{6, 4, 14}));
}

}  // namespace
}  // namespace tessera::eager
