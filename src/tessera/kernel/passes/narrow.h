/// narrow_divisions: integers are divided in as few bits as they need.
#pragma once

#include "tessera/ir/kernel.h"

namespace tessera::kernel {

/// Divisions of 64-bit integers by constants become those of 16 or 32 bits where the range of what is divided, as its
/// computation from narrower numbers shows, allows it: sums of bytes, for example.
ir::Kernel narrow_divisions(ir::Kernel kernel);

}  // namespace tessera::kernel
