/// is_run_access: whether neighbouring lanes access neighbouring elements.
#pragma once

#include "tessera/ir/kernel.h"

namespace tessera::ir {

/// Whether the instruction is a load or store by which neighbouring lanes of a row access neighbouring elements, at
/// an address known when the row starts.
bool is_run_access(const Kernel& kernel, Value v);

}  // namespace tessera::ir
