/// Staging: copies between ordinary host memory and a device, through a few pinned pieces filled by several threads.
#pragma once

#include <array>
#include <mutex>

#include "tessera/runtime/cuda/driver.h"

namespace tessera::runtime::cuda {

/// Thread-safe. The pinned memory is made at the first large copy and kept.
class Staging {
 public:
  Staging(const Driver& driver, void* stream) : driver_(driver), stream_(stream) {}
  /// On return the host memory may change.
  void copy_in(Address device, const char* host, size_t nbytes);
  /// On return the bytes are there.
  void copy_out(char* host, Address device, size_t nbytes);

 private:
  struct Piece {
    char* memory = nullptr;
    void* event = nullptr;  // the last copy from or to it
  };
  void make_pieces();

  const Driver& driver_;
  void* stream_;
  std::mutex mutex_;
  std::array<Piece, 4> pieces_;
};

}  // namespace tessera::runtime::cuda
