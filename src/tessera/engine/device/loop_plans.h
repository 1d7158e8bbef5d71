/// LoopPlans: the plans that a thread runs again and again on large arrays. They are placed together: what one of them
/// left on a device alone would travel to the others and back every turn.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "tessera/engine/bound_plan.h"

namespace tessera::engine {

class LoopPlans {
 public:
  /// The plan runs now.
  void note(const std::shared_ptr<BoundPlan>& plan);
  /// Those beside it that have run more than once and not long ago.
  std::vector<std::shared_ptr<BoundPlan>> beside(const BoundPlan& plan) const;

 private:
  static constexpr size_t most_plans = 16;  // that it knows
  static constexpr int64_t long_ago = 512;  // runs
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
