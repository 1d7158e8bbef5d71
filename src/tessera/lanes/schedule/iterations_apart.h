/// Which counted loops have iterations that no memory connects, so that code may run several at once without comparing
/// addresses.
#pragma once

#include <vector>

#include "tessera/ir/kernel.h"

namespace tessera::lanes {

/// What the iterations of a loop share through memory.
struct SharedElements {
  /// No element that an iteration stores is loaded or stored by another one, but for `early`.
  bool none = false;
  /// Loads of one element in all iterations, which at most the iteration with index `met_at` stores: those up to it
  /// find what was there before the loop.
  std::vector<ir::Value> early;
  ir::Value met_at = ir::no_value;
};

/// For a `for_` in a kernel without axes, in whose loops a parameter that is `no_alias` shares no element with another
/// one at all, and has no element at two places where it is written.
SharedElements find_shared_elements(const ir::Kernel& kernel, ir::Value loop);

}  // namespace tessera::lanes
