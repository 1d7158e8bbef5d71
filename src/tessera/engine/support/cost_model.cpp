#include "tessera/engine/support/cost_model.h"
#include "tessera/engine/support/limits.h"

#include <algorithm>

namespace tessera::engine {

void PlanCost::add_kernel(int64_t moved, int64_t done) {
  (moved > PlacementLimits::cache_bytes ? bytes : cached_bytes) += moved;
  steps += done;
  kernels += 1;
  most_bytes = std::max(most_bytes, moved);
  most_steps = std::max(most_steps, done);
}

int runs_known(double seconds) { return seconds >= PlacementLimits::long_seconds ? PlacementLimits::enough_runs : 1; }

double host_seconds(const PlanCost& cost, const MachineFacts& facts) {
  if (cost.host_runs >= PlacementLimits::enough_runs) return cost.measured;
  const double moving =
      (static_cast<double>(cost.bytes) + static_cast<double>(cost.cached_bytes) / PlacementLimits::cache_speed) /
      facts.host_bytes;
  const double working = static_cast<double>(cost.steps) / facts.host_steps;
  return static_cast<double>(cost.kernels) * facts.host_start + std::max(moving, working);
}

double device_seconds(const PlanCost& cost, const MachineFacts& facts) {
  const double moving = static_cast<double>(cost.bytes + cost.cached_bytes) / facts.device_bytes,
               working = static_cast<double>(cost.steps) / facts.device_steps;
  const double modelled = static_cast<double>(cost.kernels) * facts.launch + std::max(moving, working);
  const double waited = cost.device_runs >= PlacementLimits::enough_runs ? cost.waited : 0;
  return cost.queued_runs >= PlacementLimits::enough_runs ? std::max(moving, cost.queued + waited)
                                                          : std::max(modelled, waited);
}

bool repays_the_bus(const PlanCost& cost, int64_t nbytes, const MachineFacts& facts) {
  const double crossing = static_cast<double>(nbytes) / std::min(facts.to_device, facts.to_host);
  return device_seconds(cost, facts) + crossing < host_seconds(cost, facts);
}

double host_seconds(const CallCost& cost) { return 1e-6 + cost.host_steps * 1e-9; }

double device_seconds(const CallCost& cost, const MachineFacts& facts) {
  return cost.launches * facts.launch + cost.synchronisations * facts.synchronise +
         std::max(cost.device_bytes / facts.device_bytes,
                  cost.device_operations / (PlacementLimits::operations_a_step * facts.device_steps));
}

bool covers_moving(const Question& question) {
  const double gain = question.saving + question.copying_back - question.debt;
  return gain > 0 && std::max(question.credit + gain, question.expected) >= question.moving;
}

Choice choose_device(const Question& question, Regret& regret) {
  const double gain = question.saving + question.copying_back - question.debt;
  if (gain <= 0) {
    if (!question.is_shared) regret.seconds = 0;
    return Choice::host;
  }
  const bool covers = covers_moving(question);
  if (question.making == 0) {
    if (covers) regret.seconds = 0;
    return covers ? Choice::device : Choice::host;
  }
  regret.seconds += gain;
  const bool repays_alone = gain >= question.moving + question.making;
  const bool may_wait = repays_alone || !question.in_background || question.copying_back > 0;
  if (covers && may_wait && regret.seconds >= question.making) {
    regret.seconds = 0;
    return Choice::device;
  }
  return regret.seconds >= PlacementLimits::early * question.making ? Choice::get_ready : Choice::host;
}

}  // namespace tessera::engine
