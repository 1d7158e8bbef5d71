/// group_sums: loops that do nothing but sum become reductions.
#pragma once

#include "tessera/ir/kernel.h"

namespace tessera::kernel {

/// Loops with ir::free_sums become reductions by the tree of pairwise sums where they carry sums only and write
/// nothing; others stay as they are, without it.
ir::Kernel group_sums(ir::Kernel kernel);

}  // namespace tessera::kernel
