/// Staging: copies between pageable host memory and a device, through pinned pieces that several threads fill or empty.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "tessera/base/mutex.h"
#include "tessera/runtime/cuda/driver.h"
#include "tessera/runtime/device.h"

namespace tessera::runtime::cuda {

/// Whether the driver copies from and to these bytes of the host without staging.
bool is_pinned(const Driver& driver, const char* memory, size_t nbytes);

/// Thread-safe. Pinned memory is allocated once large copies amortise it, and kept.
class Staging {
 public:
  Staging(const Driver& driver, void* context, void* stream) : driver_(driver), context_(context), stream_(stream) {}
  ~Staging() { close(); }
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;
  /// Frees the pinned memory once it is not used any more.
  void close() noexcept;
  /// The host memory may be modified after the call returns.
  void copy_in(Address device, const char* host, size_t nbytes);
  /// The bytes are there when the call returns; small pieces share one wait.
  void copy_out(std::span<const CopyOut> pieces);

 private:
  struct Piece {
    char* memory = nullptr;
    void* event = nullptr;  // the last copy from or to the piece
  };
  /// One thread's pieces: the thread works on one while the device works on the other.
  using Lane = std::array<Piece, 2>;
  class Pieces;
  void make_lanes(size_t count);
  bool copy_small(std::span<const CopyOut> pieces);
  void copy_out_large(char* host, Address device, size_t nbytes);
  template <class Body>
  bool in_lanes(size_t nbytes, Body&& body);

  const Driver& driver_;
  void* context_;
  void* stream_;
  Mutex mutex_;
  std::vector<Lane> lanes_;
  size_t copied_ = 0;  // total bytes of large copies
  // Pinned buffer of small pieces copied to the host, followed by the word that marks them as complete.
  char* small_ = nullptr;
  int synchronisations_ = 0;  // number of small copies so far
  void* copy_small_ = nullptr;
  uint32_t sent_ = 0;
};

}  // namespace tessera::runtime::cuda
