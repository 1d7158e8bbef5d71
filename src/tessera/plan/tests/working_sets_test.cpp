#include "tessera/plan/working_sets.h"

#include <gtest/gtest.h>

namespace tessera::plan {
namespace {

constexpr MachineFacts fast_bus{.to_device = 20e9, .to_host = 12e9};
constexpr int64_t large = 1 << 28;  // bytes, whose copy takes 13 ms

/// An array of a program, and where it is.
struct Used {
  UsedArray facts;
  explicit Used(int64_t nbytes, bool is_new = true) { facts = {.nbytes = nbytes, .identity = this, .is_new = is_new}; }
  Used(const Used&) = delete;
};

/// One operation on an array that stays; whether it ran on the device.
bool run(WorkingSets& sets, Used& array, WorkCosts work, Placement* placed = nullptr) {
  if (work.key == 0) work.key = 1;
  const Placement placement = sets.choose(work, {&array.facts, 1}, fast_bus);
  array.facts.set = placement.set, array.facts.is_new = false;
  (placement.on_device ? array.facts.is_on_device : array.facts.is_on_host) = true;
  if (placed) *placed = placement;
  return placement.on_device;
}

/// The first of so many repetitions that runs on the device; -1: none.
int first_on_device(WorkingSets& sets, Used& array, const WorkCosts& work, int repetitions) {
  for (int k = 0; k < repetitions; ++k)
    if (run(sets, array, work)) return k;
  return -1;
}

TEST(WorkingSets, move_at_once_for_work_that_repays_the_copy_alone) {
  WorkingSets sets;
  Used array(large);
  EXPECT_EQ(first_on_device(sets, array, {.host = 0.1, .device = 1e-3}, 1), 0);
}

TEST(WorkingSets, move_before_a_loop_has_repaid_the_copy_once_it_repeats) {
  WorkingSets sets;
  Used array(large);
  const int first = first_on_device(sets, array, {.host = 1e-3, .device = 1e-4}, 100);
  EXPECT_GT(first, 1);
  EXPECT_LT(first, 16);
}

TEST(WorkingSets, stay_for_good_where_the_host_is_faster) {
  WorkingSets sets;
  Used array(1 << 20);
  EXPECT_EQ(first_on_device(sets, array, {.host = 1e-5, .device = 5e-5}, 100'000), -1);
}

TEST(WorkingSets, try_a_side_once_that_the_model_may_be_wrong_about_and_return_at_once) {
  WorkingSets sets;
  Used array(1 << 20);
  const WorkCosts unsure{.host = 1e-3, .device = 2e-3, .device_error = 3}, sure{.host = 1e-3, .device = 2e-3};
  const int tried = first_on_device(sets, array, unsure, 100);
  EXPECT_GT(tried, 1);
  int there = 0;
  for (int k = 0; k < 100; ++k) there += run(sets, array, sure);
  EXPECT_LE(there, 1);
}

TEST(WorkingSets, let_work_of_a_settled_set_repeat_unweighed_where_nothing_speaks_against_it) {
  WorkingSets sets;
  Used array(1 << 20), other(1 << 20);
  const WorkCosts work{.host = 1e-5, .device = 5e-5};
  Placement placed;
  run(sets, array, work, &placed);
  EXPECT_EQ(placed.repeats, 0) << "nothing has repeated";
  for (int k = 0; k < 100; ++k) run(sets, array, work, &placed);
  EXPECT_EQ(placed.repeats, PlacementLimits::unweighed_runs);
  for (int k = 0; k < 100; ++k) {
    run(sets, other, {.key = 2, .host = 3e-4, .device = 2e-5}, &placed);
    sets.note_read(placed.set, 1 << 20, fast_bus);
  }
  EXPECT_TRUE(placed.on_device);
  EXPECT_EQ(placed.repeats, 0) << "what the host reads in each iteration speaks for the host";
}

TEST(WorkingSets, charge_runs_that_were_not_weighed) {
  WorkingSets sets;
  Used array(large);
  const int weighed = first_on_device(sets, array, {.host = 1e-3, .device = 1e-4}, 100);
  WorkingSets others;
  Used same(large);
  EXPECT_LE(first_on_device(others, same, {.host = 1e-3, .device = 1e-4, .times = 4}, 100), weighed / 4 + 1);
}

TEST(WorkingSets, return_to_the_host_where_the_device_turns_out_slow) {
  WorkingSets sets;
  Used array(1 << 20);
  ASSERT_TRUE(run(sets, array, {.host = 1e-2, .device = 1e-4}));
  array.facts.is_on_host = false;  // it was written there
  int there = 0;
  while (there < 1000 && run(sets, array, {.host = 1e-4, .device = 2e-4})) ++there;
  EXPECT_LT(there, 20);
}

TEST(WorkingSets, return_after_a_time_that_a_jump_of_the_clock_made_long) {
  WorkingSets sets;
  Used array(1 << 20);
  const WorkCosts work{.host = 1e-5, .device = 5e-5};
  for (int k = 0; k < 100; ++k) run(sets, array, work);
  run(sets, array, {.host = 3600, .device = 5e-5});
  int on_device = 0;
  for (int k = 0; k < 1000; ++k) on_device += run(sets, array, work);
  EXPECT_LT(on_device, 100);
  EXPECT_FALSE(run(sets, array, work));
}

TEST(WorkingSets, are_shared_by_calls_with_new_arrays_each_time) {
  WorkingSets sets;
  int there = 0;
  for (int call = 0; call < 50; ++call) {
    Used array(large);
    array.facts.set = sets.made_by(7, large);
    run(sets, array, {.key = 1, .host = 2e-2, .device = 1e-3});
    there += run(sets, array, {.key = 2, .host = 2e-2, .device = 1e-3});
  }
  EXPECT_GE(there, 49);
}

TEST(WorkingSets, leave_arrays_on_the_host_whose_calls_do_not_repay_the_copy) {
  WorkingSets sets;
  int there = 0;
  for (int call = 0; call < 50; ++call) {
    Used array(large);
    array.facts.set = sets.made_by(7, large);
    there += run(sets, array, {.key = 1, .host = 5e-3, .device = 1e-4});
    there += run(sets, array, {.key = 2, .host = 5e-3, .device = 1e-4});
  }
  EXPECT_LE(there, 4);
}

TEST(WorkingSets, send_arrays_from_outside_straight_to_the_device_that_their_set_is_on) {
  WorkingSets sets;
  const uint32_t set = sets.made_by(7, large);
  EXPECT_FALSE(sets.enters_device(set, large, 1e-2, fast_bus));
  Used array(large);
  array.facts.set = set;
  ASSERT_TRUE(run(sets, array, {.host = 0.1, .device = 1e-3}));
  EXPECT_TRUE(sets.enters_device(set, large, 1e-2, fast_bus));
}

TEST(WorkingSets, take_in_what_comes_from_outside_where_that_costs_less_until_the_host_reads_it) {
  WorkingSets sets;
  const uint32_t set = sets.made_by(7, large);
  EXPECT_TRUE(sets.enters_device(set, large, 1, fast_bus));
  EXPECT_TRUE(sets.enters_device(set, large, 1, fast_bus)) << "nothing else is known yet";
  const uint32_t other = sets.made_by(8, large);
  ASSERT_TRUE(sets.enters_device(other, large, 1, fast_bus));
  sets.note_read(other, large, fast_bus);
  EXPECT_FALSE(sets.enters_device(other, large, 1, fast_bus));
}

TEST(WorkingSets, have_what_takes_long_made_ready_early_and_wait_for_nothing_in_the_background) {
  WorkingSets sets;
  Used array(1 << 20);
  const WorkCosts work{.host = 1e-3, .device = 1e-4, .making = 0.4, .in_background = true};
  Placement placed;
  int begun = 0;
  for (; !placed.gets_ready && begun < 1000; ++begun) EXPECT_FALSE(run(sets, array, work, &placed));
  EXPECT_GT(begun, 10);
  EXPECT_LT(begun, 40);
  EXPECT_EQ(first_on_device(sets, array, work, 10'000), -1);
  WorkCosts alone = work;
  alone.host = 1;
  EXPECT_TRUE(run(sets, array, alone)) << "it repays the wait alone";
}

TEST(WorkingSets, change_sides_once_the_device_is_there_however_long_it_took) {
  WorkingSets sets;
  Used array(large);
  const WorkCosts waiting{.host = 2e-2, .device = 1e-3, .making = 10, .in_background = true};
  EXPECT_EQ(first_on_device(sets, array, waiting, 200), -1);
  WorkCosts ready = waiting;
  ready.making = 0;
  EXPECT_EQ(first_on_device(sets, array, ready, 10), 0);
}

TEST(WorkingSets, forget_sets_where_there_are_many) {
  WorkingSets sets;
  Used array(1 << 20);
  array.facts.set = sets.made_by(0, 8);
  for (uint64_t site = 0; site < 3 * PlacementLimits::most_sets; ++site) EXPECT_NE(sets.made_by(site, 8), 0u);
  EXPECT_FALSE(run(sets, array, {.host = 1e-5, .device = 1e-4}));
}

TEST(WorkingSets, work_without_operands_does_not_keep_more_and_more_sets) {
  WorkingSets sets;
  for (size_t k = 0; k < 3 * PlacementLimits::most_sets; ++k)
    sets.choose({.key = k, .host = 1e-6, .device = 1e-5}, {}, fast_bus);
  EXPECT_LE(sets.size(), PlacementLimits::most_sets + 1);
}

TEST(WorkingSets, an_array_that_is_older_than_the_sets_is_in_a_new_one) {
  WorkingSets sets;
  Used array(large);
  run(sets, array, {.host = 1e-6, .device = 1e-5});
  for (size_t k = 0; k < PlacementLimits::most_sets; ++k) sets.made_by(k, 8);
  EXPECT_EQ(first_on_device(sets, array, {.host = 0.1, .device = 1e-3}, 1), 0);
}

}  // namespace
}  // namespace tessera::plan
