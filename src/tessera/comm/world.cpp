#include "tessera/comm/world.h"

#include <memory>

#include "tessera/base/error.h"
#include "tessera/comm/mpi/find_mpi.h"
#include "tessera/comm/mpi/mpi_communicator.h"
#include "tessera/comm/node/node_communicator.h"

namespace tessera::comm {

namespace {

/// Never destroyed: messages may be on their way when static destructors run.
Communicator*& joined() {
  static Communicator* communicator = nullptr;
  return communicator;
}

}  // namespace

Communicator* world() { return joined(); }

void join(const std::string& path, int size) {
  require<RuntimeError>(!joined(), "this process has joined its ranks already");
  auto made = std::make_unique<MpiCommunicator>(open_mpi(path));
  require<RuntimeError>(made->size() == size,
                        "{} processes were launched, and {} sees {} of them: launcher and library belong to different "
                        "MPIs. Name the library of the launcher in TESSERA_MPI, or put the launcher of the library "
                        "first on the path",
                        size, made->library(), made->size());
  const SharedMemory memory = made->share(NodeCommunicator::nbytes_for);
  if (memory.ranks.empty())
    joined() = made.release();
  else
    joined() = new NodeCommunicator(std::move(made), memory);
}

void leave_in_child() { joined() = nullptr; }

}  // namespace tessera::comm
