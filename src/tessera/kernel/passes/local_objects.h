/// keep_objects_local: objects that stay in a function's variables become local arrays.
#pragma once

#include "tessera/ir/kernel.h"

namespace tessera::kernel {

/// The host makes no objects whose addresses nothing keeps (find_local_objects): each of their words is a word of a
/// local array, and so a register in the end.
ir::Kernel keep_objects_local(ir::Kernel kernel);

}  // namespace tessera::kernel
