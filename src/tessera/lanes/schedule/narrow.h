/// Kernels over integers of one or two bytes, whose lanes a device packs into words.
#pragma once

#include <vector>

#include "tessera/ir/kernel.h"

namespace tessera::lanes {

/// The element size of such a kernel, the same for all its loads and stores; 0 for all other kernels. Its lanes are
/// straight-line code, and its only checks are of divisions by numbers that all lanes of a row share.
int narrow_size(const ir::Kernel& kernel);

/// The divisors of these divisions; while none of them is 0 or -1, no lane has an event (floating-point or integer
/// status flag).
std::vector<ir::Value> shared_divisors(const ir::Kernel& kernel);

}  // namespace tessera::lanes
