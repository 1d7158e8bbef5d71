/// LaneLoop: what one loop over the lanes of a strip reads, computes and writes, as data.
#pragma once

#include <unordered_map>
#include <vector>

#include "tessera/ir/kernel.h"

namespace tessera::lanes {

/// Where the lanes of a value are: lane k at pointer + k * stride.
struct Place {
  char* pointer;
  int64_t stride;
};

/// One thing that every lane does, in order.
struct LaneOp {
  enum class Kind : uint8_t {
    load,     // value, from a place with its lanes side by side
    compute,  // value, from its operands
    check,    // whether the events of the check `value` may have happened
    store,    // value, to a place
  };
  Kind kind;
  ir::Value value;
  uint32_t place = 0;
};

struct LaneLoop {
  std::vector<LaneOp> ops{};
  std::unordered_map<ir::Value, uint32_t> uniform_of{};  // values that all lanes share, 16 bytes each
  bool stops = false;  // before the stores, which come last, of a vector that may have seen an event
};

/// Registers that do not fit wait in memory that the caller lends.
inline constexpr int max_spills = 64;
inline constexpr int spill_bytes = 64;

/// Runs lanes [0, n) and says how many are done: all, or when an event may have happened none, of a loop that stops
/// those before.
using LaneFunction = int64_t (*)(const Place* places, int64_t n, const char* uniforms, char* spills);

}  // namespace tessera::lanes
