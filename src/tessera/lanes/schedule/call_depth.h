/// CallDepths: the order of a straight run of instructions around the calls of its long functions.
#pragma once

#include <span>
#include <unordered_map>
#include <unordered_set>

#include "tessera/ir/kernel.h"

namespace tessera::lanes {

/// Functions that are dozens of instructions. Native code calls their precompiled loops, a strip of lanes at a time:
/// that is as fast as a loop of their own would be, and nothing of them has to be compiled.
bool is_long_function(ir::Opcode op, DType dtype);
inline bool is_long_function(const ir::Kernel& kernel, ir::Value v) {
  return is_long_function(kernel.instructions[v].op, kernel.instructions[v].type);
}

/// Which instructions are done by calling a precompiled loop.
using CallRule = bool (*)(const ir::Kernel& kernel, ir::Value v);

/// How many calls, one after the other, each instruction of a run waits for. Those of one depth share a lane loop; the
/// calls of that depth come after it.
class CallDepths {
 public:
  /// `run`: what differs between lanes, in textual order.
  CallDepths(const ir::Kernel& kernel, std::span<const ir::Value> run, CallRule is_call);

  int depth(ir::Value v) const { return depth_.at(v); }
  int last() const { return last_; }
  /// A load that every loop and call may do for itself.
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
  std::unordered_map<ir::Value, int> limit_;  // of leaves: the last depth that reads what was there at the start
  std::unordered_set<ir::Value> leaves_;
};

/// Parameters of which one is written may be the same element at the same lane, of whatever type with as many bytes;
/// the parallel loop says the rest. Two parameters that are only read never matter to each other.
bool may_share_lanes(const ir::Kernel& kernel, size_t a, size_t b);

}  // namespace tessera::lanes
