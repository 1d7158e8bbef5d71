/// Costs: what copies cost in a history, and where arrays are.
#pragma once

#include <cstdint>

#include "tessera/plan/tests/laboratory/history.h"

namespace tessera::plan {

constexpr int host_bit = 1, device_bit = 2;

inline double copy_seconds(int64_t nbytes, bool to_device, const MachineFacts& facts) {
  return facts.copy_start + static_cast<double>(nbytes) / (to_device ? facts.to_device : facts.to_host) +
         (to_device ? 0 : facts.synchronise);
}

/// What having an array from outside on a side costs.
inline double entering(const HistoryArray& array, bool on_device, const Truth& truth) {
  if (!array.is_outside) return 0;
  return on_device ? copy_seconds(array.nbytes, true, truth.facts)
                   : static_cast<double>(array.nbytes) * truth.host_copy;
}

}  // namespace tessera::plan
