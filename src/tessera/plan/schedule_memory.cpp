#include <algorithm>

#include "tessera/plan/draft.h"

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

/// Hands blocks from slots that died to slots that begin, like a pool would while the plan runs.
class Blocks {
 public:
  explicit Blocks(Plan& plan) : plan_(plan) {}

  int32_t add(int64_t nbytes, int32_t from = -1) {
    plan_.blocks.push_back({nbytes, from});
    return static_cast<int32_t>(plan_.blocks.size()) - 1;
  }

  /// The smallest idle block that fits; what outlives the plan shall not hold much more than it needs.
  int32_t take(const Slot& slot) {
    const auto same = [&](int32_t spent) { return plan_.slots[spent].nbytes == slot.nbytes; };
    if (const auto spent = std::find_if(spent_.begin(), spent_.end(), same); spent != spent_.end()) {
      const int32_t from = *spent;
      spent_.erase(spent);
      return add(slot.nbytes, from);
    }
    const int64_t most = slot.nbytes + slot.nbytes / (slot.kept ? 8 : 1);
    auto best = idle_.end();
    for (auto at = idle_.begin(); at != idle_.end(); ++at) {
      const int64_t nbytes = plan_.blocks[*at].nbytes;
      if (nbytes >= slot.nbytes && nbytes <= most && (best == idle_.end() || nbytes < plan_.blocks[*best].nbytes)) best = at;
    }
    if (best == idle_.end()) return add(slot.nbytes);
    const int32_t block = *best;
    idle_.erase(best);
    return block;
  }

  void give(int32_t block) { idle_.push_back(block); }
  /// The memory of an operand that nobody wants any more.
  void hand_over(int32_t slot) { spent_.push_back(slot); }

 private:
  Plan& plan_;
  std::vector<int32_t> idle_;
  std::vector<int32_t> spent_;
};

}  // namespace

void schedule_memory(Draft& draft) {
  Plan& plan = draft.plan;
  find_lives(plan);
  Blocks blocks(plan);
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
  std::vector<int> last_step(plan.slots.size(), -1);  // of a block; -1: it is kept
  for (size_t k = 0; k < plan.steps.size(); ++k) {
    for (int32_t s : begins[k]) {
      Slot& slot = plan.slots[s];
      slot.block = blocks.take(slot);
      last_step[slot.block] = slot.kept ? -1 : slot.last_step;
    }
    for (int32_t s : ends[k]) {
      const Slot& slot = plan.slots[s];
      if (slot.external.node >= 0) blocks.hand_over(s);
      else if (!slot.kept) blocks.give(slot.block);
    }
  }
  for (size_t b = 0; b < plan.blocks.size(); ++b) {
    if (last_step[b] >= 0) plan.steps[last_step[b]].drop.push_back(static_cast<int32_t>(b));
  }
}

}  // namespace tessera::plan
