#include "tessera/engine/device/placement/device_set.h"

#include <gtest/gtest.h>

namespace tessera::engine {
namespace {

TEST(ChooseEqual, DependentWorkStaysWithMostOfItsData) {
  const DeviceLoad loads[] = {{.here = 10, .given = 0}, {.here = 30, .given = 9}, {.here = 20, .given = 1}};
  EXPECT_EQ(choose_equal(loads), 1);
}

TEST(ChooseEqual, NewWorkGoesWhereLeastWasGiven) {
  const DeviceLoad loads[] = {{.given = 3}, {.given = 1}, {.given = 1}};
  EXPECT_EQ(choose_equal(loads), 1);
}

TEST(ChooseEqual, WhereBothHaveTheDataTheFirstGoesOn) {
  const DeviceLoad loads[] = {{.here = 8, .given = 5}, {.here = 8, .given = 0}};
  EXPECT_EQ(choose_equal(loads), 0);
}

TEST(ChooseEqual, DevicesThatAreFullOrHaveFailedAreLeftOut) {
  const DeviceLoad loads[] = {{.here = 8, .fits = false}, {.given = 2}, {.given = 1, .fits = false}};
  EXPECT_EQ(choose_equal(loads), 1);
  const DeviceLoad none[] = {{.fits = false}};
  EXPECT_EQ(choose_equal(none), -1);
}

}  // namespace
}  // namespace tessera::engine
