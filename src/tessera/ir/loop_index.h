/// The index of a `for_`: what follows an iteration's, and whether that may be no int64.
#pragma once

#include "tessera/ir/kernel.h"

namespace tessera::ir {

/// The index of the next iteration; where that is no int64, `upper`, which ends the loop.
inline int64_t next_index(int64_t index, int64_t upper, int64_t step) {
  int64_t next;
  return __builtin_add_overflow(index, step, &next) ? upper : next;
}

/// Whether the last index plus the step may be no int64. Never where the step is 1 or -1, nor where both step and
/// bound are lengths of arrays, numbers of threads or small constants, or sums of these.
bool may_leave_int64(const Kernel& kernel, Value upper, Value step);

}  // namespace tessera::ir
