/// Trusted paths: opens what a path leads to, folder by folder, and says whether users other than this one and root
/// could put something else there.
#pragma once

#include <string>

#include "tessera/base/descriptor.h"

struct stat;

namespace tessera {

enum class Wanted {
  private_folder,  // not a symbolic link, written by its owner alone
  code_file,       // symbolic links are followed where others cannot change them
};
enum class Missing { is_left, is_made };  // folders are made with mode 0700

struct TrustedPath {
  Descriptor place;      // opened with O_PATH, so it stays what was checked; closed where there is nothing or no trust
  std::string distrust;  // why others could change what is there; empty where they could not
  int error = 0;         // else, errno: why there is nothing
  explicit operator bool() const { return static_cast<bool>(place); }
};

/// Follows the path, an absolute one or from the working folder. No name that others could change on the way is
/// followed.
TrustedPath open_trusted(const std::string& path, Wanted wanted, Missing missing = Missing::is_left);

/// Why a file that lies in a private folder is not trusted, from its opened descriptor: "is a hard link", "belongs to
/// user 12".
std::string distrust_of_private_file(const struct stat& facts);

}  // namespace tessera
