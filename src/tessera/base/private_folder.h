/// PrivateFolder: a folder of code that nobody but this user (and root) may change, opened once; its files are reached
/// through it alone.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tessera/base/descriptor.h"
#include "tessera/base/trusted_path.h"

namespace tessera {

/// A folder or file that others could have written is not used, which the user is told once a folder.
class PrivateFolder {
 public:
  struct Entry {
    std::string name;
    int64_t used = 0;  // nanoseconds of the clock, when last written or touched
    int64_t size = 0;
  };

  /// Opens the folder, making it first where asked to; nothing where it is not there or not private.
  static std::optional<PrivateFolder> open(const std::string& path, Missing missing = Missing::is_left);
  /// Why the folder, or what is there of its path, is not used; empty where nothing is wrong or there is nothing.
  static std::string problem(const std::string& path);

  /// The file's content; nothing where there is none or others could have written it.
  std::optional<std::string> read(const std::string& name) const;
  /// Written beside its place and renamed, so that no reader ever sees half a file. False: nothing was written.
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
