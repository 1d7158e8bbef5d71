#include "tessera/engine/device/placement/device_set.h"

#include <gtest/gtest.h>

namespace tessera::engine {
namespace {

TEST(ChooseEqual, DependentWorkStaysWithMostOfItsData) {
  const DeviceLoad loads[] = {{.here = 10}, {.here = 30}, {.here = 20}};
  EXPECT_EQ(choose_equal(loads, 0), 1);
}

TEST(ChooseEqual, WhereBothHaveTheDataTheFirstGoesOn) {
  const DeviceLoad loads[] = {{.here = 8}, {.here = 8}};
  EXPECT_EQ(choose_equal(loads, 1), 0);
}

TEST(ChooseEqual, NewWorkBeginsOnOneAfterTheOther) {
  const DeviceLoad loads[] = {{}, {}, {}};
  EXPECT_EQ(choose_equal(loads, 2), 2);
}

TEST(ChooseEqual, DevicesThatAreFullOrHaveFailedAreLeftOut) {
  const DeviceLoad loads[] = {{.here = 8, .fits = false}, {}, {.fits = false}};
  EXPECT_EQ(choose_equal(loads, 2), 1);
  const DeviceLoad none[] = {{.fits = false}};
  EXPECT_EQ(choose_equal(none, 0), -1);
}

}  // namespace
}  // namespace tessera::engine
