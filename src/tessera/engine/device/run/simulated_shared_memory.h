/// Memory of a simulated device that several processes use: a file without a name.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include "tessera/runtime/shared_memory.h"

namespace tessera::engine {

/// Null where the machine does not allow it.
std::unique_ptr<runtime::SharedMemory> make_simulated_shared_memory(size_t nbytes);
std::unique_ptr<runtime::SharedMemory> map_simulated_shared_memory(std::string_view handle);

}  // namespace tessera::engine
