#include <algorithm>

#include "tessera/plan/draft.h"
#include "tessera/plan/limits.h"
#include "tessera/plan/step_order.h"

namespace tessera::plan {

namespace {

void touch(Plan& plan, int slot, int step) {
  if (slot < 0) return;
  Slot& s = plan.slots[slot];
  if (s.first_step < 0) s.first_step = step;
  s.last_step = step;
}

void find_lives(Plan& plan) {
  for (size_t k = 0; k < plan.steps.size(); ++k) {
    for (const CopyStep& copy : plan.steps[k].copies) {
      touch(plan, copy.from, static_cast<int>(k));
      touch(plan, copy.to, static_cast<int>(k));
    }
    for (const Binding& binding : plan.steps[k].kernel.buffers) touch(plan, binding.slot, static_cast<int>(k));
  }
}

/// Passes blocks from slots whose life has ended to slots whose life begins, as a pool would while the plan runs; with
/// an `order`, to slots of steps that depend on the former ones anyway, as long as the spare bytes last.
class Blocks {
 public:
  explicit Blocks(Plan& plan, const StepOrder* order = nullptr, int64_t spare = 0)
      : plan_(plan), order_(order), spare_(spare), most_spread_(spare / MemoryLimits::spare_parts_a_slot) {}

  int32_t add(int64_t nbytes, int32_t from = -1) {
    plan_.blocks.push_back({nbytes, from});
    return static_cast<int32_t>(plan_.blocks.size()) - 1;
  }

  int32_t take(const Slot& slot) {
    if (order_) {
      if (const int32_t block =
              reuse(slot, [&](int32_t before) { return order_->comes_after(slot.first_step, before); });
          block >= 0)
        return block;
      if (slot.nbytes <= std::min(spare_, most_spread_)) {
        spare_ -= slot.nbytes;
        return add(slot.nbytes);
      }
    }
    const int32_t block = reuse(slot, [](int32_t) { return true; });
    return block < 0 ? add(slot.nbytes) : block;
  }

  /// Makes a slot's block available to other slots.
  void give(int32_t slot) { idle_.push_back(slot); }
  /// Makes the memory of a dead operand available to other slots.
  void hand_over(int32_t slot) { dead_.push_back(slot); }

 private:
  /// The smallest idle block that fits, or -1; a slot that outlives the plan must not hold much more than it needs.
  template <class May>
  int32_t reuse(const Slot& slot, May&& may) {
    const auto same = [&](int32_t dead) { return plan_.slots[dead].nbytes == slot.nbytes && may(dead); };
    if (const auto dead = std::find_if(dead_.begin(), dead_.end(), same); dead != dead_.end()) {
      const int32_t from = *dead;
      dead_.erase(dead);
      return add(slot.nbytes, from);
    }
    const auto size_of = [&](int32_t idle) { return plan_.blocks[plan_.slots[idle].block].nbytes; };
    const int64_t most = slot.nbytes + slot.nbytes / (slot.kept ? MemoryLimits::kept_parts_a_slack : 1);
    auto best = idle_.end();
    for (auto at = idle_.begin(); at != idle_.end(); ++at) {
      const int64_t nbytes = size_of(*at);
      if (nbytes >= slot.nbytes && nbytes <= most && (best == idle_.end() || nbytes < size_of(*best)) && may(*at))
        best = at;
    }
    if (best == idle_.end()) return -1;
    const int32_t block = plan_.slots[*best].block;
    idle_.erase(best);
    return block;
  }

  Plan& plan_;
  const StepOrder* order_;
  int64_t spare_, most_spread_;
  std::vector<int32_t> idle_;  // slots whose blocks are available
  std::vector<int32_t> dead_;
};

void assign_blocks(Plan& plan, Blocks blocks) {
  std::vector<std::vector<int32_t>> begins(plan.steps.size()), ends(plan.steps.size());
  for (size_t s = 0; s < plan.slots.size(); ++s) {
    Slot& slot = plan.slots[s];
    if (slot.external.node >= 0) {
      if (!slot.kept && slot.last_step >= 0) ends[slot.last_step].push_back(static_cast<int32_t>(s));
      continue;
    }
    if (slot.first_step < 0) {
      if (slot.kept) slot.block = blocks.add(slot.nbytes);  // an array without elements
      continue;
    }
    begins[slot.first_step].push_back(static_cast<int32_t>(s));
    ends[slot.last_step].push_back(static_cast<int32_t>(s));
  }
  std::vector<int> last_step(plan.slots.size(), -1);  // of the slot in each block; -1: it is kept
  for (size_t k = 0; k < plan.steps.size(); ++k) {
    for (int32_t s : begins[k]) {
      Slot& slot = plan.slots[s];
      slot.block = blocks.take(slot);
      last_step[slot.block] = slot.kept ? -1 : slot.last_step;
    }
    for (int32_t s : ends[k]) {
      const Slot& slot = plan.slots[s];
      if (slot.external.node >= 0)
        blocks.hand_over(s);
      else if (!slot.kept)
        blocks.give(s);
    }
  }
  for (size_t b = 0; b < plan.blocks.size(); ++b) {
    if (last_step[b] >= 0) plan.steps[last_step[b]].drop.push_back(static_cast<int32_t>(b));
  }
}

}  // namespace

void schedule_memory(Draft& draft) {
  find_lives(draft.plan);
  assign_blocks(draft.plan, Blocks(draft.plan));
}

Plan spread_memory(const Plan& plan, int64_t spare_bytes) {
  Plan spread = plan;
  spread.blocks.clear();
  for (Step& step : spread.steps) step.drop.clear();
  for (Slot& slot : spread.slots) slot.block = -1;
  const StepOrder order(plan);
  assign_blocks(spread, Blocks(spread, &order, spare_bytes));
  return spread;
}

}  // namespace tessera::plan
