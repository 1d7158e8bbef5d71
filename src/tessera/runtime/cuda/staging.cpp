#include "tessera/runtime/cuda/staging.h"

#include <algorithm>
#include <cstring>

#include "tessera/runtime/host/threads.h"

namespace tessera::runtime::cuda {

namespace {

constexpr size_t piece_bytes = size_t{8} << 20;
/// Up to this size the driver's own staging is as fast.
constexpr size_t small_bytes = size_t{64} << 10;
constexpr unsigned without_timing = 2;
/// What one thread copies at least.
constexpr int64_t grain = 1 << 20;

void copy_parallel(char* to, const char* from, size_t nbytes) {
  auto body = [&](int64_t begin, int64_t end) { std::memcpy(to + begin, from + begin, static_cast<size_t>(end - begin)); };
  parallel_for(static_cast<int64_t>(nbytes), grain, body);
}

}  // namespace

void Staging::make_pieces() {
  if (pieces_[0].memory) return;
  for (Piece& piece : pieces_) {
    void* memory = nullptr;
    check(driver_, driver_.host_allocate(&memory, piece_bytes, 0), "allocating pinned memory");
    check(driver_, driver_.event_create(&piece.event, without_timing), "making an event");
    piece.memory = static_cast<char*>(memory);
  }
}

void Staging::copy_in(Address device, const char* host, size_t nbytes) {
  if (nbytes <= small_bytes) {
    // Ordinary memory: the call returns when the driver has its own copy.
    check(driver_, driver_.copy_in(device, host, nbytes, stream_), "copying to the device");
    return;
  }
  std::lock_guard lock(mutex_);
  make_pieces();
  size_t turn = 0;
  for (size_t done = 0; done < nbytes; done += piece_bytes) {
    Piece& piece = pieces_[turn++ % pieces_.size()];
    const size_t size = std::min(piece_bytes, nbytes - done);
    check(driver_, driver_.event_synchronize(piece.event), "copying to the device");
    copy_parallel(piece.memory, host + done, size);
    check(driver_, driver_.copy_in(device + done, piece.memory, size, stream_), "copying to the device");
    check(driver_, driver_.event_record(piece.event, stream_), "copying to the device");
  }
}

void Staging::copy_out(char* host, Address device, size_t nbytes) {
  if (nbytes <= small_bytes) {
    check(driver_, driver_.copy_out(host, device, nbytes, stream_), "copying from the device");
    check(driver_, driver_.stream_synchronize(stream_), "waiting for the device");
    return;
  }
  std::lock_guard lock(mutex_);
  make_pieces();
  const size_t count = (nbytes + piece_bytes - 1) / piece_bytes;
  const auto size_of = [&](size_t k) { return std::min(piece_bytes, nbytes - k * piece_bytes); };
  const auto start = [&](size_t k) {
    Piece& piece = pieces_[k % pieces_.size()];
    check(driver_, driver_.copy_out(piece.memory, device + k * piece_bytes, size_of(k), stream_), "copying from the device");
    check(driver_, driver_.event_record(piece.event, stream_), "copying from the device");
  };
  for (size_t k = 0; k < std::min(count, pieces_.size()); ++k) start(k);
  for (size_t k = 0; k < count; ++k) {
    Piece& piece = pieces_[k % pieces_.size()];
    check(driver_, driver_.event_synchronize(piece.event), "waiting for the device");
    copy_parallel(host + k * piece_bytes, piece.memory, size_of(k));
    if (k + pieces_.size() < count) start(k + pieces_.size());
  }
}

}  // namespace tessera::runtime::cuda
