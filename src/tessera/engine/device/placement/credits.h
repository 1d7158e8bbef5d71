/// Credits: the time that a device would have saved the users of an array, stored with its elements until it amortises
/// the copy, and per-origin averages from which new arrays start.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "tessera/base/small_vector.h"
#include "tessera/engine/device/placement/device_set.h"
#include "tessera/graph/storage.h"
#include "tessera/plan/place.h"
#include "tessera/runtime/device.h"

namespace tessera::engine {

/// Statistics of arrays that one source line creates, by size. Guarded by the engine's lock, as versions are.
class Origins {
 public:
  /// Records another array of this size created by this source line. Returns the number of its origin, never 0.
  uint16_t enter(uint64_t site, int64_t nbytes);
  /// Reverts the last enter().
  void leave(uint16_t origin) { origins_[origin].made -= 1; }
  void earn(uint16_t origin, double seconds);
  /// Records the copy to the device of an array of `nbytes` with this origin, or computed from one. `is_first`: its
  /// first.
  void note_move(uint16_t origin, bool is_first, int64_t nbytes);
  /// Seconds that a device saves the users of an array of `nbytes` and of the arrays computed from it, over their
  /// lifetime.
  double expected(uint16_t origin, int64_t nbytes) const;
  /// Average number of copies to the device of an array that is copied at all.
  double moves_each(uint16_t origin) const;

 private:
  struct Origin {
    uint64_t key = 0;
    int64_t nbytes = 0;
    double made = 0, earned = 0;  // arrays, seconds
    double moves = 0, arrays_moved = 0;
  };
  std::array<Origin, plan::PlacementLimits::most_origins>
      origins_;  // indexed by a hash of the key; number 0 means no origin
};

/// What the operands of an operation contribute to the placement decision.
class OperandCredits {
 public:
  OperandCredits(Origins& origins, const plan::MachineFacts& facts) : origins_(origins), facts_(facts) {}

  void add(graph::Version& version);
  /// The device on which another library sees an operand, or sees the array it was computed from; null: none.
  runtime::Device* lender() const { return lender_; }
  int64_t only_on_host() const { return only_on_host_; }
  int64_t only_on_device() const { return only_on_device_; }
  /// What they contribute where the work runs on the device, one of the set; where none is open, on any.
  plan::OperandSums sums(const DeviceSet* set, const runtime::Device* device) const;
  /// The operands, each once.
  std::span<const graph::Version* const> versions() const { return {versions_.data(), versions_.size()}; }
  /// Copies the operands that the device lacks. May throw OutOfMemory.
  void move(runtime::Device& device);
  /// Called after the decision, with what was weighed: divides what the device saves, or would have saved, among the
  /// operands by their bytes, and what copies to the host cost among the operands that only the host had. What later
  /// operations would have to copy to the host again, because it is new each time, the device saves the other operands,
  /// too.
  void settle(bool on_device, double saving, double copying_back);
  /// Initial credit per byte of results computed on the host, and their origin.
  double credit_a_byte() const;
  uint16_t origin() const;
  bool was_moved() const;

 private:
  /// Seconds to copy those operands to the host that only the device has and that are new.
  double copying_new_back() const;

  Origins& origins_;
  const plan::MachineFacts& facts_;
  SmallVector<graph::Version*, 8> versions_;
  runtime::Device* lender_ = nullptr;
  int64_t nbytes_ = 0, only_on_host_ = 0, only_on_device_ = 0;
};

/// A result computed from an operand inherits its history and its credit per byte.
void inherit(graph::Version& result, const graph::Version& operand, bool on_device);

}  // namespace tessera::engine
