#include "tessera/plan/step_order.h"

#include <algorithm>
#include <functional>

namespace tessera::plan {

void StepOrder::find_uses(const Plan& plan) {
  for (size_t k = 0; k < plan.steps.size(); ++k) {
    const auto note = [&](int32_t slot, bool writes) {
      if (slot < 0) return;
      uses_[slot].steps.push_back(static_cast<int32_t>(k));
      if (writes) uses_[slot].writers.push_back(static_cast<int32_t>(k));
    };
    const KernelStep& step = plan.steps[k].kernel;
    for (const CopyStep& copy : plan.steps[k].copies) {
      note(copy.from, false);
      note(copy.to, true);
    }
    for (size_t b = 0; b < step.buffers.size(); ++b) note(step.buffers[b].slot, step.kernel->buffers[b].writable);
  }
}

StepOrder::StepOrder(const Plan& plan)
    : uses_(plan.slots.size()), needed_(plan.steps.size(), std::vector<bool>(plan.steps.size())) {
  find_uses(plan);
  std::vector<std::vector<int32_t>> directly(plan.steps.size());
  for (const Uses& use : uses_) {
    for (const int32_t writer : use.writers) {
      for (const int32_t step : use.steps)
        if (step != writer) directly[std::max(step, writer)].push_back(std::min(step, writer));
    }
  }
  for (size_t k = 0; k < directly.size(); ++k) {
    // The latest first: it depends on most of the others.
    std::sort(directly[k].begin(), directly[k].end(), std::greater<>());
    for (const int32_t before : directly[k]) {
      if (needed_[k][before]) continue;
      needed_[k][before] = true;
      for (int32_t b = 0; b < before; ++b) needed_[k][b] = needed_[k][b] || needed_[before][b];
    }
  }
}

bool StepOrder::comes_after(int32_t step, int32_t slot) const {
  return std::all_of(uses_[slot].steps.begin(), uses_[slot].steps.end(),
                     [&](int32_t use) { return use == step || needed_[step][use]; });
}

}  // namespace tessera::plan
