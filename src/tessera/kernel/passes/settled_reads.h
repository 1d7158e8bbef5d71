/// settle_reads: which reads of shared arrays, in a kernel that is checked, cannot be a race.
#pragma once

#include "tessera/ir/kernel.h"

namespace tessera::kernel {

/// Reads that no write of the array can meet without a barrier of the block between them, by the kernel's text, are
/// told as CheckCall::read_settled_array: the host leaves no mark of them.
ir::Kernel settle_reads(ir::Kernel kernel);

}  // namespace tessera::kernel
