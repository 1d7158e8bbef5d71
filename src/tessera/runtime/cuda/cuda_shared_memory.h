/// Memory of a GPU that several processes use, by CUDA's handles for that.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include "tessera/runtime/cuda/driver.h"
#include "tessera/runtime/shared_memory.h"

namespace tessera::runtime::cuda {

/// In the current context; null where the driver or the machine does not allow it.
std::unique_ptr<SharedMemory> make_shared_memory(const Driver& driver, size_t nbytes);
std::unique_ptr<SharedMemory> map_shared_memory(const Driver& driver, std::string_view handle);

}  // namespace tessera::runtime::cuda
