/// ScheduleCache: the schedules of one plan that runs again and again over the same places.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "tessera/tile/schedule.h"

namespace tessera::engine {

class ScheduleCache {
 public:
  /// What a schedule is derived from, beside the plan.
  struct Key {
    size_t places = 0;
    double most_extra = 0;
    std::vector<int64_t> offsets;  // of the arrays' views
    std::vector<tile::SlotState> slots;
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct Derived {
    std::vector<tile::Step> steps;
    tile::Schedule schedule;
  };

  /// Null where it is not known.
  std::shared_ptr<const Derived> find(const Key& key) const {
    for (const Known& known : known_)
      if (known.derived && known.key == key) return known.derived;
    return nullptr;
  }
  /// In place of the one that was added first.
  void add(Key key, std::shared_ptr<const Derived> derived) {
    known_[next_] = {std::move(key), std::move(derived)};
    next_ = (next_ + 1) % known_.size();
  }

 private:
  struct Known {
    Key key;
    std::shared_ptr<const Derived> derived;
  };
  // In a loop arrays take turns, and the first iteration finds them elsewhere than the next ones.
  std::array<Known, 4> known_;
  size_t next_ = 0;
};

}  // namespace tessera::engine
