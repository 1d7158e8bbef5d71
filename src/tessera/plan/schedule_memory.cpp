#include "tessera/plan/draft.h"

namespace tessera::plan {

namespace {

void touch(Plan& plan, int slot, int step) {
  if (slot < 0) return;
  Slot& s = plan.slots[slot];
  if (s.first_step < 0) s.first_step = step;
  s.last_step = step;
}

}  // namespace

/// Memory is made right before the first step that uses it and dropped right after the last, so that the pool hands the
/// same warm block to the next one.
void schedule_memory(Draft& draft) {
  Plan& plan = draft.plan;
  for (size_t k = 0; k < plan.steps.size(); ++k) {
    for (const CopyStep& copy : plan.steps[k].copies) {
      touch(plan, copy.from, static_cast<int>(k));
      touch(plan, copy.to, static_cast<int>(k));
    }
    for (const Binding& binding : plan.steps[k].kernel.buffers) touch(plan, binding.slot, static_cast<int>(k));
  }
  for (size_t s = 0; s < plan.slots.size(); ++s) {
    const Slot& slot = plan.slots[s];
    if (slot.external.node >= 0 || slot.first_step < 0) continue;
    plan.steps[slot.first_step].make.push_back(static_cast<int>(s));
    if (!slot.kept) plan.steps[slot.last_step].drop.push_back(static_cast<int>(s));
  }
}

}  // namespace tessera::plan
