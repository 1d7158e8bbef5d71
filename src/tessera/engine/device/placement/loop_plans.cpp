#include "tessera/engine/device/placement/loop_plans.h"
#include "tessera/engine/support/limits.h"

#include <algorithm>

namespace tessera::engine {

void LoopPlans::note(const std::shared_ptr<BoundPlan>& plan) {
  ++run_;
  const auto known =
      std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) { return entry.at == plan.get(); });
  if (known != entries_.end() && !known->plan.expired()) {
    ++known->runs;
    known->last_run = run_;
    return;
  }
  const Entry fresh{plan, plan.get(), 1, run_};
  if (known != entries_.end())
    *known = fresh;
  else if (entries_.size() < plan::PlacementLimits::most_loop_plans)
    entries_.push_back(fresh);
  else
    *std::min_element(entries_.begin(), entries_.end(),
                      [](const Entry& a, const Entry& b) { return a.last_run < b.last_run; }) = fresh;
}

std::vector<std::shared_ptr<BoundPlan>> LoopPlans::beside(const BoundPlan& plan) const {
  std::vector<std::shared_ptr<BoundPlan>> plans;
  for (const Entry& entry : entries_) {
    if (entry.at == &plan || entry.runs < 2 || run_ - entry.last_run > plan::PlacementLimits::long_ago) continue;
    if (std::shared_ptr<BoundPlan> other = entry.plan.lock()) plans.push_back(std::move(other));
  }
  return plans;
}

}  // namespace tessera::engine
