/// Races of a parallel loop that its tree shows: elements of arrays that every iteration writes, and elements that one
/// iteration writes and its neighbour reads or writes. What conditions or calls may prevent is not among them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tessera/kernel/syntax/syntax.h"

namespace tessera::kernel {

struct LoopRace {
  const Node* place;
  std::string text;
};

/// `is_array` says of a name that it is an array from before the loop; `counts_by_one` that iterations are numbered
/// without gaps.
std::vector<LoopRace> find_races(const Node& loop, bool counts_by_one,
                                 const std::function<bool(const std::string&)>& is_array);

}  // namespace tessera::kernel
