#include "tessera/comm/mpi/find_mpi.h"

#include <string_view>

#include "tessera/base/error.h"

namespace tessera::comm {

namespace {

// MPICH and its kin, Open MPI, the standard interface.
constexpr std::string_view names[] = {"libmpi.so.12", "libmpi.so.40", "libmpi_abi.so.1", "libmpi_abi.so.0"};

}  // namespace

DynamicLibrary open_mpi(const std::string& path) {
  for (const std::string_view name : names)
    if (DynamicLibrary library = DynamicLibrary::loaded(std::string(name))) return library;
  std::string problem;
  if (!path.empty()) {
    if (DynamicLibrary library = DynamicLibrary::try_open_named("TESSERA_MPI", path, &problem)) return library;
    throw RuntimeError(format("TESSERA_MPI: {}", problem.empty() ? path + ": there is no such library" : problem));
  }
  for (const std::string_view name : names)
    if (DynamicLibrary library = DynamicLibrary::try_open(std::string(name), &problem)) return library;
  throw RuntimeError(
      format("there is no MPI library: install one (pip install tessera[mpi]) or name it in TESSERA_MPI{}{}",
             problem.empty() ? "" : "; ", problem));
}

}  // namespace tessera::comm
