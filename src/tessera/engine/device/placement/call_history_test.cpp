#include "tessera/engine/device/placement/call_history.h"

#include <gtest/gtest.h>

namespace tessera::engine {
namespace {

TEST(CallHistory, a_faster_run_is_believed_at_once) {
  double known = 1e-3;
  learn(known, 2e-4);
  EXPECT_DOUBLE_EQ(known, 2e-4);
}

TEST(CallHistory, a_run_of_an_hour_by_a_clock_that_jumped_is_soon_forgotten) {
  double known = 1e-3;
  learn(known, 3600);
  EXPECT_LE(known, 4e-3);
  learn(known, 1e-3);
  EXPECT_DOUBLE_EQ(known, 1e-3);
}

TEST(CallHistory, runs_that_stay_slow_are_believed_in_time) {
  double known = 1e-3;
  for (int k = 0; k < 100; ++k) learn(known, 1e-1);
  EXPECT_GT(known, 5e-2);
}

}  // namespace
}  // namespace tessera::engine
