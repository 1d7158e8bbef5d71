/// Abi: what an MPI library's binary interface calls the few things that are used of it. Handles are integers or
/// addresses; both pass as words.
#pragma once

#include <cstdint>
#include <string>

#include "tessera/base/dynamic_library.h"

namespace tessera::comm {

using Handle = uintptr_t;

struct Abi {
  std::string name;
  Handle world = 0, byte = 0, errors_return = 0, no_info = 0;
  int serialized = 0;  // the thread level at which one thread at a time calls
  int of_node = 0;     // the type of communicators of processes that share memory
};

/// By the library's symbols: Open MPI's, the standard one of MPI 5, else MPICH's, which Intel's, MVAPICH's and Cray's
/// share.
Abi find_abi(const DynamicLibrary& library);

}  // namespace tessera::comm
