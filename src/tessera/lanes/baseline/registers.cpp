#include "tessera/lanes/baseline/registers.h"

#include <algorithm>
#include <limits>

#include "tessera/base/error.h"
#include "tessera/lanes/baseline/lane_loop.h"

namespace tessera::lanes {

using ir::Value;

void Registers::restart() {
  registers_.assign(registers_.size(), {});
  spills_.clear();
  position_ = 0;
}

void Registers::move_to(int position) {
  position_ = position;
  // A temporary of one position is dead at the next.
  for (Register& r : registers_)
    if (!r.value) r.busy = false;
}

/// The first position from the current one on that reads v; a large number when there is none.
int Registers::next_use(Value v) const {
  auto known = uses_.find(v);
  if (known == uses_.end()) return std::numeric_limits<int>::max();
  const auto at = std::lower_bound(known->second.begin(), known->second.end(), position_);
  return at == known->second.end() ? std::numeric_limits<int>::max() : *at;
}

int Registers::take(std::optional<Value> v, std::optional<Move>& moved) {
  const auto rank = [&](const Register& r) {
    if (!r.busy) return std::numeric_limits<int64_t>::max();
    if (!r.value || r.pinned_at == position_) return int64_t{-1};
    return static_cast<int64_t>(next_use(*r.value));
  };
  Register& best = *std::ranges::max_element(registers_, {}, rank);
  require<NotImplementedError>(rank(best) >= 0, "baseline: too many values at once");
  const int index = static_cast<int>(&best - registers_.data());
  if (best.busy) {
    const auto [spill, is_new] = spills_.try_emplace(*best.value, static_cast<int>(spills_.size()));
    require<NotImplementedError>(spill->second < max_spills, "baseline: too many values at once");
    if (is_new) moved = Move{spill->second, index};
  }
  best = {.value = v, .busy = true, .pinned_at = position_};
  return index;
}

int Registers::find(Value v) {
  for (int k = 0; k < static_cast<int>(registers_.size()); ++k) {
    if (registers_[k].value != v) continue;
    registers_[k].pinned_at = position_;
    return k;
  }
  return -1;
}

void Registers::release_dead() {
  const int here = position_++;
  for (Register& r : registers_)
    if (r.value && next_use(*r.value) == std::numeric_limits<int>::max()) r = {};
  position_ = here;
}

}  // namespace tessera::lanes
