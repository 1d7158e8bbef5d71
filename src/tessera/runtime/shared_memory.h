/// SharedMemory: memory of a device that several processes of one machine use.
#pragma once

#include <string_view>

namespace tessera::runtime {

/// Made by one process and mapped by others.
class SharedMemory {
 public:
  virtual ~SharedMemory() = default;
  /// Where it is in this process.
  virtual char* data() = 0;
  /// By which other processes map it: at most `most_handle_bytes` bytes of any value.
  virtual std::string_view handle() const = 0;

  static constexpr int most_handle_bytes = 64;
};

}  // namespace tessera::runtime
