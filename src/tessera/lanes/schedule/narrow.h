/// Kernels over integers of one or two bytes whose lanes a device computes by the word.
#pragma once

#include <vector>

#include "tessera/ir/kernel.h"

namespace tessera::lanes {

/// Whether neighbouring lanes access neighbouring elements, at an address known when the row starts.
bool is_run_access(const ir::Kernel& kernel, ir::Value v);

/// The size of the elements such a kernel loads and stores, all of one size; 0 for all others. Lanes run straight
/// through, and nothing is checked but division by numbers that all lanes of a row share.
int narrow_size(const ir::Kernel& kernel);

/// The divisors of these divisions; while none of them is 0 or -1, no lane has an event.
std::vector<ir::Value> shared_divisors(const ir::Kernel& kernel);

}  // namespace tessera::lanes
