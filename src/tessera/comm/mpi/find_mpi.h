/// open_mpi: the MPI library that this process uses.
#pragma once

#include <string>

#include "tessera/base/dynamic_library.h"

namespace tessera::comm {

/// The one that is loaded already, `path`, or what the loader finds by the usual names. Throws RuntimeError.
DynamicLibrary open_mpi(const std::string& path);

}  // namespace tessera::comm
