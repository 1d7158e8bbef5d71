#include "tessera/engine/host/plan_cache.h"

#include <algorithm>
#include <vector>

#include "tessera/base/hash.h"
#include "tessera/engine/support/limits.h"
#include "tessera/plan/planner.h"
#include "tessera/profile/counters.h"

namespace tessera::engine {

std::pair<std::shared_ptr<BoundPlan>, bool> PlanCache::find_or_make(const plan::Request& request,
                                                                    const plan::PlanOptions& options) {
  const uint64_t key = options.places == 1 ? request.key : Hash().add(request.key).add(options.places).value();
  if (const auto at = plans_.find(key); at != plans_.end()) {
    profile::add(profile::Counter::plan_hits);
    at->second->last_use = ++clock_;
    return {at->second, true};
  }
  profile::add(profile::Counter::plan_misses);
  if (plans_.size() >= CompileLimits::most_plans) forget_old();
  std::shared_ptr<BoundPlan> bound = bind_plan(plan::make_plan(request, options), kernels_);
  bound->last_use = ++clock_;
  return {plans_[key] = std::move(bound), false};
}

void PlanCache::forget_old() {
  std::vector<uint64_t> uses;
  for (const auto& [key, bound] : plans_) uses.push_back(bound->last_use);
  const auto middle = uses.begin() + static_cast<long>(uses.size() / 2);
  std::nth_element(uses.begin(), middle, uses.end());
  std::erase_if(plans_, [oldest = *middle](const auto& entry) { return entry.second->last_use < oldest; });
  kernels_.forget_unused();
}

}  // namespace tessera::engine
