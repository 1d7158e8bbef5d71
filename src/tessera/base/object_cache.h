/// ObjectCache: compiled objects in a folder, shared by processes, bounded in size, checked when read.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>

#include "tessera/base/mutex.h"
#include "tessera/base/private_folder.h"

namespace tessera {

/// Thread-safe; several processes may use one folder. A folder that cannot be read or written, or that other users may
/// write to, is not used: this costs compile time only.
class ObjectCache {
 public:
  ObjectCache(std::string folder, int64_t limit) : folder_(std::move(folder)), limit_(limit) {}

  /// The object stored under key; nullopt when there is none or its file is damaged (a damaged file is removed).
  std::optional<std::string> find(const std::string& key);
  /// Stores the object; failures are counted, not raised.
  void store(const std::string& key, const std::string& object);
  /// The number of failed stores: no folder, no permission to write, no space.
  int64_t failures() const { return failures_; }

 private:
  static std::string name_of(const std::string& key);
  void make_room(const PrivateFolder& folder, const std::string& key, int64_t bytes);

  std::string folder_;
  int64_t limit_;
  Mutex mutex_;
  int64_t known_size_ = -1;  // bytes in the folder when it was last read, plus what was stored since
  std::atomic<int64_t> failures_{0};
};

}  // namespace tessera
