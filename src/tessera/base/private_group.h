/// Private groups: whether a group is one user's own, as many systems make one for every user.
#pragma once

#include <sys/types.h>

namespace tessera {

/// Whether nobody but this user is in the group, and no list of rights on the opened folder or file names anybody else.
/// False where that cannot be known, and for root, whose group many share.
bool is_alone_in_group(gid_t group, int descriptor);

}  // namespace tessera
