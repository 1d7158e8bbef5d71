/// Address spaces of devices, as LLVM numbers them.
#pragma once

namespace tessera::codegen {

enum AddressSpace : unsigned { global_memory = 1, shared_memory = 3, constant_memory = 4, local_memory = 5 };

}  // namespace tessera::codegen
