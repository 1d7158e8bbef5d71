#include "tessera/plan/cost_model.h"

#include <gtest/gtest.h>

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

TEST(CostModel, knows_what_no_kernel_of_repays_a_launch) {
  EXPECT_TRUE(stencil(41, 60).is_small());
  EXPECT_FALSE(stencil(1000, 3).is_small());
}

TEST(CostModel, takes_the_hosts_time_as_it_was_after_enough_runs) {
  PlanCost cost = stencil(1000, 3);
  const double modelled = host_seconds(cost, machine);
  cost.measured = 1e-6, cost.host_runs = 1;
  EXPECT_EQ(host_seconds(cost, machine), modelled);
  cost.host_runs = PlacementLimits::enough_runs;
  EXPECT_EQ(host_seconds(cost, machine), 1e-6);
}

TEST(CostModel, is_the_surer_the_more_runs_there_were) {
  EXPECT_EQ(error_after(0), PlacementLimits::most_model_error);
  EXPECT_LT(error_after(1), error_after(0));
  EXPECT_EQ(error_after(PlacementLimits::enough_runs), 1);
}

TEST(CostModel, spreads_long_routines_over_threads) {
  EXPECT_EQ(on_threads({.host_steps = 5e4}, 16).host_steps, 5e4);
  EXPECT_EQ(on_threads({.host_steps = 1e5 + 4e6}, 16).host_steps, 1e5 + 1e6);
  EXPECT_EQ(on_threads({.host_steps = 4e6}, 1).host_steps, 4e6);
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
