/// Trusted paths: opens a path folder by folder and reports whether users other than this one and root could replace
/// what it refers to.
#pragma once

#include <string>

#include "tessera/base/descriptor.h"

struct stat;

namespace tessera {

enum class Wanted {
  private_folder,  // not a symbolic link, writable by its owner alone
  code_file,       // symbolic links are followed unless other users can change them
};
enum class Missing { is_left, is_made };  // missing folders are created with mode 0700

struct TrustedPath {
  Descriptor place;      // opened with O_PATH, so it stays what was checked; empty when missing or not trusted
  std::string distrust;  // why other users could replace the target; empty if they cannot
  int error = 0;         // otherwise, the errno of the failed lookup
  explicit operator bool() const { return static_cast<bool>(place); }
};

/// Opens an absolute path or one relative to the working folder. Path components that other users could change are not
/// followed.
TrustedPath open_trusted(const std::string& path, Wanted wanted, Missing missing = Missing::is_left);

/// Why a file in a private folder is not trusted, judged by its opened descriptor: "is a hard link", "belongs to user
/// 12".
std::string distrust_of_private_file(const struct stat& facts);

}  // namespace tessera
