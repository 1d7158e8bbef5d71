#include "tessera/comm/mpi/abi.h"

namespace tessera::comm {

Abi find_abi(const DynamicLibrary& library) {
  const auto address = [&](const char* symbol) { return reinterpret_cast<Handle>(library.find(symbol)); };
  if (library.find("ompi_mpi_comm_world"))
    return {.name = "Open MPI's",
            .world = address("ompi_mpi_comm_world"),
            .byte = address("ompi_mpi_byte"),
            .errors_return = address("ompi_mpi_errors_return"),
            .no_info = address("ompi_mpi_info_null"),
            .serialized = 2,
            .of_node = 0};
  if (library.file().find("libmpi_abi") != std::string::npos)
    return {.name = "the standard one",
            .world = 0x101,
            .byte = 0x247,
            .errors_return = 0x143,
            .no_info = 0x130,
            .serialized = 2048,
            .of_node = 221};
  return {.name = "MPICH's",
          .world = 0x44000000,
          .byte = 0x4c00010d,
          .errors_return = 0x54000001,
          .no_info = 0x1c000000,
          .serialized = 2,
          .of_node = 1};
}

}  // namespace tessera::comm
