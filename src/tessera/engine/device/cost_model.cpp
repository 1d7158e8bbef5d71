#include "tessera/engine/device/cost_model.h"

#include <algorithm>

namespace tessera::engine {

namespace {
constexpr int64_t cache_bytes = 1 << 20;
constexpr double cache_speed = 8;  // times memory's
}  // namespace

void PlanCost::add_kernel(int64_t moved, int64_t done) {
  (moved > cache_bytes ? bytes : cached_bytes) += moved;
  steps += done;
  kernels += 1;
  most_bytes = std::max(most_bytes, moved);
  most_steps = std::max(most_steps, done);
}

double host_seconds(const PlanCost& cost, const MachineFacts& facts) {
  if (cost.measured > 0) return cost.measured;
  const double moving = (static_cast<double>(cost.bytes) + static_cast<double>(cost.cached_bytes) / cache_speed) / facts.host_bytes;
  const double working = static_cast<double>(cost.steps) / facts.host_steps;
  return static_cast<double>(cost.kernels) * facts.host_start + std::max(moving, working);
}

double device_seconds(const PlanCost& cost, const MachineFacts& facts) {
  const double moving = static_cast<double>(cost.bytes + cost.cached_bytes) / facts.device_bytes, working = static_cast<double>(cost.steps) / facts.device_steps;
  return static_cast<double>(cost.kernels) * facts.launch + std::max(moving, working);
}

bool repays_the_bus(const PlanCost& cost, int64_t nbytes, const MachineFacts& facts) {
  const double crossing = static_cast<double>(nbytes) / std::min(facts.to_device, facts.to_host);
  return device_seconds(cost, facts) + crossing < host_seconds(cost, facts);
}

Choice choose_device(const PlanCost& cost, const Residence& residence, double making, bool is_beside, const MachineFacts& facts, Regret& regret) {
  constexpr double early = 1.0 / 16;
  double here = host_seconds(cost, facts);
  if (residence.only_on_device) here += facts.look + static_cast<double>(residence.only_on_device) / facts.to_host;
  double there = device_seconds(cost, facts);
  if (residence.looked_at) there += facts.look + static_cast<double>(residence.looked_at) / facts.to_host;
  const double gain = here - there;
  if (gain <= 0) {
    regret.seconds = 0;
    return Choice::host;
  }
  const double moving = static_cast<double>(residence.only_on_host) / facts.to_device;
  regret.seconds += gain;
  const bool repays = regret.seconds >= moving + making && (making == 0 || !is_beside || gain >= moving + making || residence.only_on_device > 0);
  if (!repays) return making > 0 && regret.seconds >= early * making ? Choice::get_ready : Choice::host;
  regret.seconds = 0;
  return Choice::device;
}

}  // namespace tessera::engine
