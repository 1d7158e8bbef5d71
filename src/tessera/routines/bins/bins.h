/// Extremes of integers in device memory, for the routines that need them.
#pragma once

#include "tessera/library/host/search.h"
#include "tessera/routines/launcher.h"

namespace tessera::routines {

/// The least and the largest of n > 0 integers; waits for them.
library::Extremes find_extremes(Launcher& launcher, DType dtype, int64_t n, const char* x);

}  // namespace tessera::routines
