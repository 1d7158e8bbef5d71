/// Sums of complex numbers: pairs of reductions, of the real and of the imaginary parts, which a device computes
/// together.
#pragma once

#include <map>

#include "tessera/ir/kernel.h"

namespace tessera::lanes {

/// Sums that read complex numbers, each mapped to the next instruction when that sums over the same range in the same
/// way.
std::map<ir::Value, ir::Value> find_complex_reductions(const ir::Kernel& kernel);

/// The only load in a reduction's region; no_value where there are none or several.
ir::Value only_load(const ir::Kernel& kernel, ir::Value reduction);

/// Whether the only loads of two reductions read the same elements.
bool load_alike(const ir::Kernel& kernel, ir::Value reduction, ir::Value other);

}  // namespace tessera::lanes
