#include "tessera/plan/cost_model.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tessera/plan/place.h"
#include "tessera/plan/placement_limits.h"

namespace tessera::plan {
namespace {

constexpr MachineFacts machine{.host_bytes = 20e9,
                               .host_steps = 10e9,
                               .device_bytes = 4e12,
                               .device_steps = 5e12,
                               .to_device = 20e9,
                               .to_host = 12e9};

PlanCost stencil(int64_t n, int64_t kernels) {
  PlanCost cost;
  for (int64_t k = 0; k < kernels; ++k) cost.add_kernel(16 * n * n, 12 * n * n);
  return cost;
}

Question ask(const PlanCost& cost, int64_t only_on_host = 0, double making = 0, bool in_background = false) {
  return {.saving = host_seconds(cost, machine) - device_seconds(cost, machine),
          .moving = static_cast<double>(only_on_host) / machine.to_device,
          .making = making,
          .in_background = in_background};
}

/// The first run, of at most `runs`, that goes to the device, while the operands accumulate credit.
int first_on_device(const PlanCost& cost, int64_t operands, int runs) {
  Regret regret;
  Question question = ask(cost, operands, machine.compile * static_cast<double>(cost.kernels));
  for (int run = 0; run < runs; ++run) {
    if (choose_device(question, regret) == Choice::device) return run;
    question.credit += std::max(0.0, question.saving);
  }
  return -1;
}

TEST(CostModel, keeps_a_small_loop_on_the_host_for_good) {
  EXPECT_EQ(first_on_device(stencil(41, 60), 3 * 8 * 41 * 41, 1'000'000), -1);
  EXPECT_TRUE(stencil(41, 60).is_small());
}

TEST(CostModel, moves_a_large_loop_once_its_iterations_would_repay_the_copies) {
  const int64_t n = 16384;
  const int first = first_on_device(stencil(n, 1), 8 * n * n, 100);
  EXPECT_GE(first, 0);
  EXPECT_LE(first, 3);
}

TEST(CostModel, moves_a_middling_loop_after_the_time_of_compiling) {
  const int64_t n = 1000;
  const int first = first_on_device(stencil(n, 3), 8 * n * n, 10'000);
  EXPECT_GT(first, 10);
  EXPECT_LT(first, 500);
}

TEST(CostModel, has_what_takes_long_made_ready_early) {
  Regret regret;
  const Question question = ask(stencil(1000, 3), 0, 0.4);
  int begun = 0, moved = 0;
  while (choose_device(question, regret) == Choice::host) ++begun;
  for (regret = {}; choose_device(question, regret) != Choice::device;) ++moved;
  EXPECT_GT(begun, 1);
  EXPECT_GT(moved, 10 * begun);
}

TEST(CostModel, moves_operands_for_what_repays_that_alone_or_by_what_they_earned) {
  Regret regret;
  EXPECT_EQ(choose_device({.saving = 2, .moving = 1}, regret), Choice::device);
  EXPECT_EQ(choose_device({.saving = 1, .moving = 2}, regret), Choice::host);
  EXPECT_EQ(choose_device({.saving = 1, .moving = 2}, regret), Choice::host)
      << "what the operands did not earn does not count";
  EXPECT_EQ(choose_device({.saving = 1, .moving = 2, .credit = 1}, regret), Choice::device);
}

TEST(CostModel, brings_operands_home_once_the_host_would_have_saved_as_much) {
  Regret regret;
  EXPECT_EQ(choose_device({.saving = -1, .copying_back = 3}, regret), Choice::device);
  EXPECT_EQ(choose_device({.saving = -1, .copying_back = 3, .debt = 1}, regret), Choice::device);
  EXPECT_EQ(choose_device({.saving = -1, .copying_back = 3, .debt = 2}, regret), Choice::host);
}

TEST(CostModel, waits_for_nothing_that_is_made_in_the_background) {
  Regret regret;
  for (int run = 0; run < 10'000; ++run)
    EXPECT_NE(choose_device(ask(stencil(1000, 3), 0, 0.4, true), regret), Choice::device);
  EXPECT_EQ(choose_device(ask(stencil(100'000, 3), 0, 0.4, true), regret), Choice::device);
}

TEST(CostModel, brings_operands_home_no_longer_than_it_would_wait) {
  Regret regret;
  Question question = ask(stencil(1000, 3), 0, 0.1, true);
  question.copying_back = machine.synchronise + static_cast<double>(1 << 24) / machine.to_host;
  int runs = 0;
  while (choose_device(question, regret) != Choice::device) ++runs;
  EXPECT_GT(runs, 10);
  EXPECT_LT(static_cast<double>(runs) * (1 << 24) / machine.to_host, question.making);
}

TEST(CostModel, takes_the_hosts_time_as_it_was) {
  Regret regret;
  PlanCost cost = stencil(1000, 3);
  EXPECT_EQ(choose_device(ask(cost), regret), Choice::device);
  cost.measured = 1e-6;
  cost.host_runs = 1;
  EXPECT_EQ(choose_device(ask(cost), regret), Choice::device) << "a first run says little";
  cost.host_runs = PlacementLimits::enough_runs;
  EXPECT_EQ(choose_device(ask(cost), regret), Choice::host);
}

TEST(CostModel, sends_arrays_through_the_device_for_much_arithmetic_only) {
  constexpr int64_t elements = int64_t{1} << 34;
  PlanCost sum, prices;
  sum.add_kernel(8 * elements, elements);
  prices.add_kernel(40 * elements, 200 * elements);
  EXPECT_FALSE(repays_the_bus(sum, 8 * elements, machine));
  EXPECT_TRUE(repays_the_bus(prices, 40 * elements, machine));
}

}  // namespace
}  // namespace tessera::plan
