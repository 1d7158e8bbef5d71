#include "tessera/engine/device/placement/loop_plans.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace tessera::engine {
namespace {

using Plan = std::shared_ptr<BoundPlan>;

TEST(LoopPlans, are_those_that_run_again) {
  const Plan first = std::make_shared<BoundPlan>(), round = std::make_shared<BoundPlan>(),
             rest = std::make_shared<BoundPlan>();
  LoopPlans plans;
  plans.note(first);
  for (int iteration = 0; iteration < 2; ++iteration) {
    EXPECT_EQ(plans.beside(*round), iteration ? std::vector{rest} : std::vector<Plan>{});
    for (int k = 0; k < 50; ++k) plans.note(round);
    plans.note(rest);
    plans.note(rest);
  }
  EXPECT_EQ(plans.beside(*rest), std::vector{round});
  EXPECT_EQ(plans.beside(*first), (std::vector{round, rest}));
}

TEST(LoopPlans, forget_plans_of_long_ago_and_those_that_are_gone) {
  Plan old = std::make_shared<BoundPlan>(), gone = std::make_shared<BoundPlan>();
  const Plan now = std::make_shared<BoundPlan>();
  LoopPlans plans;
  for (int k = 0; k < 2; ++k) plans.note(old), plans.note(gone);
  EXPECT_EQ(plans.beside(*now).size(), 2u);
  gone = nullptr;
  EXPECT_EQ(plans.beside(*now), std::vector{old});
  for (int k = 0; k < 1000; ++k) plans.note(now);
  EXPECT_TRUE(plans.beside(*now).empty());
}

TEST(LoopPlans, keep_few) {
  std::vector<Plan> many;
  LoopPlans plans;
  for (int k = 0; k < 100; ++k) {
    many.push_back(std::make_shared<BoundPlan>());
    plans.note(many.back());
    plans.note(many.back());
  }
  const std::vector<Plan> kept = plans.beside(*many[0]);
  EXPECT_LE(kept.size(), 16u);
  for (const Plan& plan : {many[99], many[98]}) EXPECT_NE(std::find(kept.begin(), kept.end(), plan), kept.end());
}

}  // namespace
}  // namespace tessera::engine
