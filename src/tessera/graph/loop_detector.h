/// LoopDetector: recognises that the recorded ops repeat, from their hashes alone.
#pragma once

#include <array>
#include <cstdint>

namespace tessera::graph {

/// Feeds on one hash an op. `period()` is the length of the loop body once it repeated for certain, else 0.
class LoopDetector {
 public:
  void add(uint64_t op) {
    const uint64_t at = count_++;
    const uint32_t hash = static_cast<uint32_t>(op);  // enough, and half the memory to walk through
    uint64_t& last = last_seen_[hash % table_size];
    if (candidate_ && history_[(at - candidate_) % capacity] == hash) {
      ++matched_;
    } else {
      const uint64_t distance = last ? at - (last - 1) : 0;
      const bool repeats = distance && distance <= longest_period && history_[(last - 1) % capacity] == hash;
      candidate_ = repeats ? distance : 0;
      matched_ = repeats ? 1 : 0;
    }
    history_[at % capacity] = hash;
    last = at + 1;
  }

  /// Chains of equal ops (b + c + d + e) look like loops of one op, so short repetitions need more turns.
  uint64_t period() const { return candidate_ && matched_ >= 2 * candidate_ && matched_ >= 8 ? candidate_ : 0; }

 private:
  static constexpr uint64_t capacity = 2048;
  static constexpr uint64_t longest_period = 512;
  static constexpr uint64_t table_size = 1024;
  std::array<uint32_t, capacity> history_{};
  std::array<uint64_t, table_size> last_seen_{};
  uint64_t count_ = 0;
  uint64_t candidate_ = 0;
  uint64_t matched_ = 0;
};

}  // namespace tessera::graph
