/// CallDepths: orders straight-line instructions around the calls of long functions among them.
#pragma once

#include <span>
#include <unordered_map>
#include <unordered_set>

#include "tessera/ir/kernel.h"

namespace tessera::lanes {

/// Functions of dozens of instructions. Native code calls their precompiled loops, one strip of lanes at a time: that
/// is as fast as a loop compiled for them would be, and saves compile time.
bool is_long_function(ir::Opcode op, DType dtype);
inline bool is_long_function(const ir::Kernel& kernel, ir::Value v) {
  return is_long_function(kernel.instructions[v].op, kernel.instructions[v].type);
}

/// Which instructions are computed by calling a precompiled loop.
using CallRule = bool (*)(const ir::Kernel& kernel, ir::Value v);

/// How many successive calls each instruction of a run depends on: its depth. Instructions of one depth share a lane
/// loop; the calls of that depth come after it.
class CallDepths {
 public:
  /// `run`: the instructions that differ between lanes, in textual order.
  CallDepths(const ir::Kernel& kernel, std::span<const ir::Value> run, CallRule is_call);

  int depth(ir::Value v) const { return depth_.at(v); }
  int last() const { return last_; }
  /// Whether v is a load that every loop and call may repeat for itself.
  bool is_leaf(ir::Value v) const { return leaves_.contains(v); }
  const std::unordered_set<ir::Value>& leaves() const { return leaves_; }

 private:
  void find_earliest(std::span<const ir::Value> run);
  void find_leaves(std::span<const ir::Value> run);
  void sink(std::span<const ir::Value> run);
  int limit_of_users(ir::Value v) const;

  bool is_call(ir::Value v) const { return is_call_(kernel_, v); }

  const ir::Kernel& kernel_;
  CallRule is_call_;
  int last_ = 0;
  std::unordered_map<ir::Value, int> depth_;
  std::unordered_map<ir::Value, int> limit_;  // of leaves: the last depth that reads the original element
  std::unordered_set<ir::Value> leaves_;
};

/// Whether two parameters, of which one is written, may be the same element at the same lane, in any type of the same
/// size; the semantics of the parallel loop rule out other overlaps. Two parameters that are only read never conflict.
bool may_share_lanes(const ir::Kernel& kernel, size_t a, size_t b);

}  // namespace tessera::lanes
