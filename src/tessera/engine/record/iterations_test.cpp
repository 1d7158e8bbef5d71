#include "tessera/engine/record/iterations.h"

#include <gtest/gtest.h>

namespace tessera::engine {
namespace {

/// Plans until `iterations` iterations have run; returns how many of the plans take `width` iterations.
int run(IterationsAtOnce& loop, int iterations, int width, bool found) {
  int count = 0;
  for (int at = 0; at < iterations; at += loop.iterations()) {
    count += loop.iterations() == width;
    loop.note(found);
    loop.choose();
  }
  return count;
}

TEST(IterationsAtOnce, a_loop_that_finds_its_plans_takes_more_and_more_iterations) {
  IterationsAtOnce loop;
  loop.follow(1, 48);
  EXPECT_EQ(loop.iterations(), 1);
  EXPECT_GT(run(loop, 100, 1, true), 0);
  EXPECT_EQ(loop.iterations(), 8);
  run(loop, 10000, 8, true);
  EXPECT_EQ(loop.iterations(), 48);
}

TEST(IterationsAtOnce, a_loop_that_never_finds_its_plans_stays_with_one_iteration) {
  IterationsAtOnce loop;
  loop.follow(1, 48);
  EXPECT_EQ(run(loop, 1000, 1, false), 1000);
}

TEST(IterationsAtOnce, a_loop_whose_longer_plans_are_all_new_goes_back) {
  IterationsAtOnce loop;
  loop.follow(1, 48);
  run(loop, 100, 1, true);
  ASSERT_EQ(loop.iterations(), 8);
  run(loop, 8 * 3, 8, false);
  EXPECT_EQ(loop.iterations(), 1);
  run(loop, 100, 1, true);
  EXPECT_EQ(loop.iterations(), 1) << "more patience than the first time";
}

TEST(IterationsAtOnce, a_loop_that_comes_again_goes_on_as_it_ended) {
  IterationsAtOnce loop;
  loop.follow(1, 48);
  run(loop, 100, 1, true);
  loop.follow(2, 48);
  EXPECT_EQ(loop.iterations(), 1);
  loop.follow(1, 6);
  EXPECT_EQ(loop.iterations(), 6) << "no more than allowed";
  loop.fix(3);
  run(loop, 1000, 3, true);
  EXPECT_EQ(loop.iterations(), 3);
}

}  // namespace
}  // namespace tessera::engine
