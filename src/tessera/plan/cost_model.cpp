#include "tessera/plan/cost_model.h"

#include <algorithm>
#include <cmath>

namespace tessera::plan {

void PlanCost::add_kernel(int64_t moved, int64_t done) {
  const bool is_large = moved > PlacementLimits::cache_bytes;
  (is_large ? bytes : cached_bytes) += moved;
  steps += done;
  kernels += 1;
  large_kernels += is_large;
  most_bytes = std::max(most_bytes, moved);
  most_steps = std::max(most_steps, done);
}

int runs_known(double seconds) { return seconds >= PlacementLimits::long_seconds ? PlacementLimits::enough_runs : 1; }

double error_after(int runs) {
  const double most = PlacementLimits::most_model_error;
  return runs >= PlacementLimits::enough_runs ? 1.0 : 1 + (most - 1) / (1 + runs);
}

double host_seconds(const PlanCost& cost, const MachineFacts& facts) {
  if (cost.host_runs >= PlacementLimits::enough_runs) return cost.measured;
  const double moving =
      (static_cast<double>(cost.bytes) + static_cast<double>(cost.cached_bytes) / PlacementLimits::cache_speed) /
      facts.host_bytes;
  const double working = static_cast<double>(cost.steps) / facts.host_steps;
  return static_cast<double>(cost.kernels) * facts.host_start + static_cast<double>(cost.large_kernels) * facts.wake +
         std::max(moving, working);
}

double device_seconds(const PlanCost& cost, const MachineFacts& facts) {
  const double moving = static_cast<double>(cost.bytes + cost.cached_bytes) / facts.device_bytes,
               working = static_cast<double>(cost.steps) / facts.device_steps;
  const auto kernels = static_cast<double>(cost.kernels);
  const double launches =
      cost.kernels < PlacementLimits::replayed_kernels ? kernels : 1 + (kernels - 1) * PlacementLimits::replayed_launch;
  const double modelled = launches * facts.launch + std::max(moving, working);
  const double waited = cost.device_runs >= PlacementLimits::enough_runs ? cost.waited : 0;
  return cost.queued_runs >= PlacementLimits::enough_runs ? std::max(moving, cost.queued + waited)
                                                          : std::max(modelled, waited);
}

bool repays_the_bus(const PlanCost& cost, int64_t nbytes, const MachineFacts& facts) {
  const double crossing = static_cast<double>(nbytes) / std::min(facts.to_device, facts.to_host);
  return device_seconds(cost, facts) + crossing < host_seconds(cost, facts);
}

double host_seconds(const CallCost& cost) { return 1e-6 + cost.host_steps * 1e-9; }

CallCost on_threads(CallCost cost, int threads) {
  const double alone = PlacementLimits::call_steps;  // by one thread: the others are not worth waking
  if (cost.host_steps > alone) cost.host_steps = alone + (cost.host_steps - alone) / std::sqrt(std::max(1, threads));
  return cost;
}

double device_seconds(const CallCost& cost, const MachineFacts& facts) {
  return cost.launches * facts.launch + cost.synchronisations * facts.synchronise +
         std::max(cost.device_bytes / facts.device_bytes,
                  cost.device_operations / (PlacementLimits::operations_a_step * facts.device_steps));
}

}  // namespace tessera::plan
