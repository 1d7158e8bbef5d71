/// StepOrder: which earlier steps each step of a plan depends on, directly or indirectly, through shared slots.
#pragma once

#include <cstdint>
#include <vector>

#include "tessera/plan/plan.h"

namespace tessera::plan {

class StepOrder {
 public:
  explicit StepOrder(const Plan& plan);
  /// Whether the step depends on all other steps that touch the slot.
  bool comes_after(int32_t step, int32_t slot) const;

 private:
  /// The steps that touch a slot, in order.
  struct Uses {
    std::vector<int32_t> steps;
    std::vector<int32_t> writers;
  };
  void find_uses(const Plan& plan);

  std::vector<Uses> uses_;                 // by slot
  std::vector<std::vector<bool>> needed_;  // by step
};

}  // namespace tessera::plan
