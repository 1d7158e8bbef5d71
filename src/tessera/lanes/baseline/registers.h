/// Registers: which vector register holds which value while a straight run of code is written.
#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "tessera/ir/kernel.h"

namespace tessera::lanes {

/// Linear scan; when none is free, the value that is needed last goes to memory.
class Registers {
 public:
  explicit Registers(int count) : registers_(count) {}

  /// Notes that the value is read at this position; positions only grow.
  void note_use(ir::Value v, int position) { uses_[v].push_back(position); }
  /// From here on registers are given for what is written at `position`; those named at it stay where they are.
  void move_to(int position);

  struct Move {
    int spill;
    int from;
  };
  /// A register for a new value, or for something that lives during this position only; what had to make room.
  int take(std::optional<ir::Value> v, std::optional<Move>& moved);
  /// Where the value is; -1 when it waits in memory.
  int find(ir::Value v);
  int spill_of(ir::Value v) const { return spills_.at(v); }
  /// Lets go of what nothing after this position reads.
  void release_dead();
  /// Forgets all places, keeps the uses.
  void restart();

 private:
  int next_use(ir::Value v) const;

  struct Register {
    std::optional<ir::Value> value;
    bool busy = false;
    int pinned_at = -1;
  };
  int position_ = 0;
  std::vector<Register> registers_;
  std::unordered_map<ir::Value, std::vector<int>> uses_;
  std::unordered_map<ir::Value, int> spills_;
};

}  // namespace tessera::lanes
