#include "tessera/comm/mpi/abi.h"

namespace tessera::comm {

Abi find_abi(const DynamicLibrary& library) {
  const auto address = [&](const char* symbol) { return reinterpret_cast<Handle>(library.find(symbol)); };
  if (library.find("ompi_mpi_comm_world"))
    return {.name = "Open MPI's",
            .world = address("ompi_mpi_comm_world"),
            .byte = address("ompi_mpi_byte"),
            .errors_return = address("ompi_mpi_errors_return"),
            .serialized = 2};
  if (library.file().find("libmpi_abi") != std::string::npos)
    return {.name = "the standard one", .world = 0x101, .byte = 0x247, .errors_return = 0x143, .serialized = 2048};
  return {.name = "MPICH's", .world = 0x44000000, .byte = 0x4c00010d, .errors_return = 0x54000001, .serialized = 2};
}

}  // namespace tessera::comm
