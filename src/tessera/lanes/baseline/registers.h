/// Registers: allocates vector registers to values while straight-line code is written.
#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "tessera/ir/kernel.h"

namespace tessera::lanes {

/// Linear scan; when no register is free, the value whose next use is furthest away is spilled.
class Registers {
 public:
  explicit Registers(int count) : registers_(count) {}

  /// Records that the value is read at this position; positions must not decrease.
  void note_use(ir::Value v, int position) { uses_[v].push_back(position); }
  /// Starts the code at `position`; registers used there are not spilled.
  void move_to(int position);

  struct Move {
    int spill;
    int from;
  };
  /// Allocates a register for a new value, or for a temporary of this position only; `moved` is the spill it requires.
  int take(std::optional<ir::Value> v, std::optional<Move>& moved);
  /// The value's register; -1 when it is spilled.
  int find(ir::Value v);
  int spill_of(ir::Value v) const { return spills_.at(v); }
  /// Frees the registers of values that are not read after this position.
  void release_dead();
  /// Forgets all locations but keeps the uses.
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
