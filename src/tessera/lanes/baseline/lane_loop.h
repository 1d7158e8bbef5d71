/// LaneLoop: the loads, computations and stores of one loop over the lanes of a strip, as data.
#pragma once

#include <unordered_map>
#include <vector>

#include "tessera/ir/kernel.h"

namespace tessera::lanes {

/// The addresses of a value's lanes: lane k is at pointer + k * stride.
struct Place {
  char* pointer;
  int64_t stride;
};

/// One operation of the loop body, executed for every lane in order.
struct LaneOp {
  enum class Kind : uint8_t {
    load,     // value, from a place whose lanes are contiguous
    compute,  // value, from its operands
    check,    // tests whether the events of the check `value` may have happened
    store,    // value, to a place
  };
  Kind kind;
  ir::Value value;
  uint32_t place = 0;
};

struct LaneLoop {
  std::vector<LaneOp> ops{};
  std::unordered_map<ir::Value, uint32_t> uniform_of{};  // values that all lanes share, 16 bytes each
  bool stops = false;  // before the stores, which come last, of the first vector in which an event may have happened
};

/// Registers are spilled to memory that the caller provides.
inline constexpr int max_spills = 64;
inline constexpr int spill_bytes = 64;

/// Runs lanes [0, n) and returns how many are done: all of them if no event may have happened; otherwise 0, or for a
/// loop that stops the number of lanes before that event's vector.
using LaneFunction = int64_t (*)(const Place* places, int64_t n, const char* uniforms, char* spills);

}  // namespace tessera::lanes
