#include "tessera/engine/device/placement/device_set.h"

#include <gtest/gtest.h>

namespace tessera::engine {
namespace {

TEST(ChooseEqual, DependentWorkStaysWithMostOfItsData) {
  const DeviceLoad loads[] = {{.here = 10, .begun = 0}, {.here = 30, .begun = 9}, {.here = 20, .begun = 1}};
  EXPECT_EQ(choose_equal(loads), 1);
}

TEST(ChooseEqual, NewWorkGoesWhereLeastBegan) {
  const DeviceLoad loads[] = {{.begun = 3}, {.begun = 1}, {.begun = 1}};
  EXPECT_EQ(choose_equal(loads), 1);
}

TEST(ChooseEqual, NewWorkGoesWhereLeastMemoryIsInUse) {
  const DeviceLoad loads[] = {{.held = 9, .begun = 1}, {.held = 2, .begun = 5}, {.held = 4}};
  EXPECT_EQ(choose_equal(loads), 1);
}

TEST(ChooseEqual, WhereBothHaveTheDataTheFirstGoesOn) {
  const DeviceLoad loads[] = {{.here = 8, .begun = 5}, {.here = 8, .begun = 0}};
  EXPECT_EQ(choose_equal(loads), 0);
}

TEST(ChooseEqual, DevicesThatAreFullOrHaveFailedAreLeftOut) {
  const DeviceLoad loads[] = {{.here = 8, .fits = false}, {.begun = 2}, {.begun = 1, .fits = false}};
  EXPECT_EQ(choose_equal(loads), 1);
  const DeviceLoad none[] = {{.fits = false}};
  EXPECT_EQ(choose_equal(none), -1);
}

}  // namespace
}  // namespace tessera::engine
