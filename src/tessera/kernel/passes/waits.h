/// mark_waits: loops in which a lane waits for what others store let those run.
#pragma once

#include "tessera/ir/kernel.h"

namespace tessera::kernel {

/// Ends the body of each `while_` by a `pause` whose condition depends on what other lanes may store meanwhile: on the
/// result of an atomic operation or a load that reads memory each time, or on any load of a buffer where the loop has a
/// fence.
void mark_waits(ir::Kernel& kernel);

}  // namespace tessera::kernel
