/// The ranks that this process is one of.
#pragma once

#include <string>

#include "tessera/comm/communicator.h"

namespace tessera::comm {

/// Null until this process joined others.
Communicator* world();
/// Joins the other ranks through the MPI library at `path`, through the one that the process has loaded already, or
/// through what the loader finds, in this order. Throws RuntimeError naming what was tried, and where there are not
/// `size` ranks, which happens when launcher and library are of two different MPIs. Call once, before the first array.
void join(const std::string& path, int size);
/// After fork, in the child: it is no rank.
void leave_in_child();

}  // namespace tessera::comm
