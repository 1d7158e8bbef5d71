/// LoopPlans: the plans that a thread runs repeatedly on large arrays. They are placed together: results of a plan that
/// runs on a device alone would be copied between host and device in every iteration.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "tessera/engine/host/bound_plan.h"
#include "tessera/engine/support/limits.h"

namespace tessera::engine {

class LoopPlans {
 public:
  /// Records a run of the plan.
  void note(const std::shared_ptr<BoundPlan>& plan);
  /// The other plans that have run more than once, and recently.
  std::vector<std::shared_ptr<BoundPlan>> beside(const BoundPlan& plan) const;

 private:
  struct Entry {
    std::weak_ptr<BoundPlan> plan;
    const BoundPlan* at;
    int64_t runs;
    int64_t last_run;
  };
  std::vector<Entry> entries_;
  int64_t run_ = 0;
};

}  // namespace tessera::engine
