/// Sums of complex numbers: two folds side by side, of their real and of their imaginary parts, which a device computes
/// together.
#pragma once

#include <map>

#include "tessera/ir/kernel.h"

namespace tessera::lanes {

/// Sums that read complex numbers, each with the one right behind it that sums over the same range in the same way.
std::map<ir::Value, ir::Value> find_complex_reductions(const ir::Kernel& kernel);

/// The one load among what a fold folds; no_value where there are none or several.
ir::Value only_load(const ir::Kernel& kernel, ir::Value reduction);

/// Whether the only loads of two folds read the same elements.
bool load_alike(const ir::Kernel& kernel, ir::Value reduction, ir::Value other);

}  // namespace tessera::lanes
