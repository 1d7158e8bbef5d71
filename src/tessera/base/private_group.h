/// Private groups: whether a group has a single user as its only member; many systems create one such group per user.
#pragma once

#include <sys/types.h>

namespace tessera {

/// Whether this user is the group's only member and no access control list on the opened file or folder names another
/// user. False when this cannot be determined, and for root, whose group often has several members.
bool is_alone_in_group(gid_t group, int descriptor);

}  // namespace tessera
