#include "tessera/base/private_group.h"

#include <grp.h>
#include <pwd.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cstring>
#include <string>
#include <vector>

#include "tessera/base/format.h"

namespace tessera {

namespace {

constexpr size_t most_record_bytes = size_t{1} << 16;

/// With a POSIX access control list, the mode's group bits show the list's mask, whichever users it names.
bool has_list_of_rights(int descriptor) {
  const std::string path = format("/proc/self/fd/{}", descriptor);
  return getxattr(path.c_str(), "system.posix_acl_access", nullptr, 0) > 0;
}

}  // namespace

bool is_alone_in_group(gid_t group, int descriptor) {
  const uid_t user = geteuid();
  if (user == 0 || has_list_of_rights(descriptor)) return false;
  std::vector<char> user_text(most_record_bytes), group_text(most_record_bytes);
  passwd user_record;
  passwd* found_user = nullptr;
  if (getpwuid_r(user, &user_record, user_text.data(), user_text.size(), &found_user) != 0 || !found_user) return false;
  ::group group_record;
  ::group* found_group = nullptr;
  if (getgrgid_r(group, &group_record, group_text.data(), group_text.size(), &found_group) != 0 || !found_group)
    return false;
  if (found_user->pw_gid != group || std::strcmp(found_user->pw_name, found_group->gr_name) != 0) return false;
  for (char** member = found_group->gr_mem; *member; ++member)
    if (std::strcmp(*member, found_user->pw_name) != 0) return false;
  return true;
}

}  // namespace tessera
