/// Staging: copies between ordinary host memory and a device, through pinned pieces that several threads fill or empty.
#pragma once

#include <array>
#include <memory>
#include <mutex>
#include <vector>

#include "tessera/runtime/cuda/driver.h"
#include "tessera/runtime/device.h"

namespace tessera::runtime::cuda {

/// Thread-safe. The pinned memory is made as large copies repay it and kept.
class Staging {
 public:
  Staging(const Driver& driver, void* context, void* stream) : driver_(driver), context_(context), stream_(stream) {}
  /// On return the host memory may change.
  void copy_in(Address device, const char* host, size_t nbytes);
  /// On return the bytes are there; small pieces are waited for together.
  void copy_out(std::span<const CopyOut> pieces);

 private:
  struct Piece {
    char* memory = nullptr;
    void* event = nullptr;  // the last copy from or to it
  };
  /// One thread's pieces: while it works on one, the device works on the other.
  using Lane = std::array<Piece, 2>;
  class Pieces;
  void make_lanes(size_t count);
  bool send_home(std::span<const CopyOut> pieces);
  void copy_out_large(char* host, Address device, size_t nbytes);
  template <class Body>
  bool in_lanes(size_t nbytes, Body&& body);

  const Driver& driver_;
  void* context_;
  void* stream_;
  std::mutex mutex_;
  std::vector<Lane> lanes_;
  size_t copied_ = 0;      // bytes of large copies, so far
  char* small_ = nullptr;  // pinned, for small pieces on their way home; behind them the word that says they are there
  int synchronisations_ = 0;  // at a few bytes, so far
  void* send_home_ = nullptr;
  uint32_t sent_ = 0;
};

}  // namespace tessera::runtime::cuda
