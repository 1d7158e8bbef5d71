/// PlanCache: the plans of the requests that were made lately.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <utility>

#include "tessera/engine/host/bound_plan.h"
#include "tessera/engine/kernels/kernel_cache.h"
#include "tessera/plan/planner.h"
#include "tessera/plan/request.h"

namespace tessera::engine {

class PlanCache {
 public:
  explicit PlanCache(KernelCache& kernels) : kernels_(kernels) {}

  /// The plan for the request, and whether it was there.
  std::pair<std::shared_ptr<BoundPlan>, bool> find_or_make(const plan::Request& request,
                                                           const plan::PlanOptions& options);
  void clear() { plans_.clear(); }

 private:
  /// Drops the half of the plans used least recently, and the kernels that only they used.
  void forget_old();

  KernelCache& kernels_;
  std::unordered_map<uint64_t, std::shared_ptr<BoundPlan>> plans_;  // by the request's key
  uint64_t clock_ = 0;
};

}  // namespace tessera::engine
