/// PrivateFolder: a folder of code that only this user and root can modify. It is opened once, and its files are
/// accessed only through its descriptor.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tessera/base/descriptor.h"
#include "tessera/base/trusted_path.h"

namespace tessera {

/// A folder or file that other users could have written is not used; the user is notified once per folder.
class PrivateFolder {
 public:
  struct Entry {
    std::string name;
    int64_t used = 0;  // nanoseconds since the epoch of the last write or touch
    int64_t size = 0;
  };

  /// Opens the folder and creates it first if `missing` says so; empty when it does not exist or is not private.
  static std::optional<PrivateFolder> open(const std::string& path, Missing missing = Missing::is_left);
  /// Why the folder, or the existing part of its path, is not used; empty when it is usable or does not exist.
  static std::string problem(const std::string& path);

  /// The file's content; empty when it does not exist or other users could have written it.
  std::optional<std::string> read(const std::string& name) const;
  /// Writes a temporary file and renames it, so that no reader sees a partial file. Returns false when nothing was
  /// written.
  bool write(const std::string& name, const std::string& content) const;
  void touch(const std::string& name) const;
  void remove(const std::string& name) const;
  std::vector<Entry> list() const;

 private:
  PrivateFolder(std::string path, Descriptor folder) : path_(std::move(path)), folder_(std::move(folder)) {}

  std::string path_;
  Descriptor folder_;
};

}  // namespace tessera
