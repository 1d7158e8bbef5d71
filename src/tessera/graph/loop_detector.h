/// LoopDetector: detects from their hashes alone that recorded ops repeat.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>

namespace tessera::graph {

/// Takes one hash for each op. `period()` is the length of the loop body once the repetition is certain, else 0.
class LoopDetector {
 public:
  void add(uint64_t op) {
    const uint64_t at = count_++;
    const uint32_t hash = static_cast<uint32_t>(op);  // 32 bits suffice and halve the memory traffic
    uint64_t& last = last_seen_[hash % table_size];
    const uint64_t distance = at + 1 - last;
    if (distance == first_.distance && distance == nearest_.distance && history_[(at - distance) % capacity] == hash)
        [[likely]] {
      ++first_.matched;
      ++nearest_.matched;
    } else {
      follow(hash, at, last);
    }
    history_[at % capacity] = hash;
    last = at + 1;
  }

  /// How many ops ago the latest ops were recorded in the same order; 0: never.
  uint64_t distance() const { return first_.distance ? first_.distance : nearest_.distance; }

  static constexpr uint64_t longest_period = 512;
  /// Whether period() is certain to be this one; stays true until the next break.
  bool follows(uint64_t period) const { return first_.distance == period && first_.is_certain(); }
  /// How often a repetition has ended.
  uint64_t breaks() const { return breaks_; }

  /// The period if it is at most `longest`.
  uint64_t period(uint64_t longest = longest_period) const {
    for (const Trail* trail : {&first_, &nearest_}) {
      if (trail->is_certain() && trail->distance <= longest) return trail->distance;
    }
    return 0;
  }

 private:
  /// A run of ops that repeat the ops `distance` earlier.
  struct Trail {
    uint64_t distance = 0;
    uint64_t matched = 0;

    /// Chains of equal ops (b + c + d + e) look like loops of one op, so short periods need more iterations.
    bool is_certain() const { return distance && matched >= 2 * distance && matched >= 8; }
  };

  void follow(uint32_t hash, uint64_t at, uint64_t last) {
    uint64_t distance = last ? at - (last - 1) : 0;
    if (distance > longest_period || (distance && history_[(last - 1) % capacity] != hash)) distance = 0;
    breaks_ += !follow(first_, hash, at, distance);
    // A repeated loop has two periods: that of the loop as a whole and that of one iteration.
    if (distance && distance < nearest_.distance) nearest_ = {};
    follow(nearest_, hash, at, distance);
  }

  /// False when the trail ended; a new one may have begun.
  bool follow(Trail& trail, uint64_t hash, uint64_t at, uint64_t distance) {
    if (trail.distance && history_[(at - trail.distance) % capacity] == hash) {
      ++trail.matched;
      return true;
    }
    trail = {distance, distance ? uint64_t{1} : uint64_t{0}};
    return false;
  }

  static constexpr uint64_t capacity = 2048;
  static constexpr uint64_t table_size = 1024;
  std::array<uint32_t, capacity> history_{};
  std::array<uint64_t, table_size> last_seen_{};
  uint64_t count_ = 0;
  uint64_t breaks_ = 0;
  Trail first_;    // the repetition that was noticed first
  Trail nearest_;  // the shortest repetition
};

}  // namespace tessera::graph
