#include "tessera/engine/device/memory/coherence.h"

#include <gtest/gtest.h>

namespace tessera::engine {
namespace {

TEST(Waits, are_divided_among_those_whose_work_was_queued) {
  const uint32_t much = new_maker(), little = new_maker();
  note_queued(much, 3e-3), note_queued(little, 1e-3);
  divide_wait(4e-3);
  EXPECT_NEAR(seconds_waited_for(much), 3e-3, 1e-9);
  EXPECT_NEAR(seconds_waited_for(little), 1e-3, 1e-9);
}

TEST(Waits, for_what_ran_for_the_first_time_are_charged_to_nobody) {
  const uint32_t known = new_maker();
  note_first_run(30e-3);
  note_queued(known, 1e-5);
  divide_wait(17e-3);
  EXPECT_LT(seconds_waited_for(known), 1e-4);
}

TEST(Waits, that_are_much_longer_than_those_before_count_once_they_repeat) {
  const uint32_t maker = new_maker();
  note_queued(maker, 1e-5);
  divide_wait(17e-3);
  EXPECT_LT(seconds_waited_for(maker), 1e-4);
  for (int k = 0; k < 10; ++k) note_queued(maker, 1e-5), divide_wait(17e-3);
  EXPECT_GT(seconds_waited_for(maker), 17e-3 * 5);
}

}  // namespace
}  // namespace tessera::engine
