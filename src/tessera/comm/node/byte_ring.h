/// ByteRing: bytes from one process to another of the same machine, in order, through memory that both see.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>

namespace tessera::comm {

/// What lies before the bytes. Zeroed memory is an empty ring. Each side writes a line of its own.
struct RingHead {
  alignas(64) std::atomic<uint64_t> written;
  alignas(64) std::atomic<uint64_t> read;
};
static_assert(std::atomic<uint64_t>::is_always_lock_free);

/// One side puts bytes in, one thread at a time, the other takes them out.
class ByteRing {
 public:
  /// `memory` has nbytes_for(size) bytes at a multiple of 64; `size` is a power of two.
  ByteRing(char* memory, uint64_t size)
      : head_(reinterpret_cast<RingHead*>(memory)), bytes_(memory + sizeof(RingHead)), size_(size) {}

  static int64_t nbytes_for(uint64_t size) { return static_cast<int64_t>(sizeof(RingHead) + size); }

  /// Copies as many of the bytes as there is room for; how many.
  int64_t put(const char* from, int64_t nbytes) {
    const uint64_t written = head_->written.load(std::memory_order_relaxed);
    const uint64_t room = size_ - (written - head_->read.load(std::memory_order_acquire));
    return copy(written, std::min(static_cast<uint64_t>(nbytes), room), head_->written,
                [&](uint64_t done, uint64_t at, uint64_t n) { std::memcpy(bytes_ + at, from + done, n); });
  }

  /// How many bytes can be taken.
  int64_t available() const {
    return static_cast<int64_t>(head_->written.load(std::memory_order_acquire) -
                                head_->read.load(std::memory_order_relaxed));
  }

  /// Takes at most that many; how many.
  int64_t take(char* to, int64_t nbytes) {
    const auto there = static_cast<uint64_t>(available());
    return copy(head_->read.load(std::memory_order_relaxed), std::min(static_cast<uint64_t>(nbytes), there),
                head_->read, [&](uint64_t done, uint64_t at, uint64_t n) { std::memcpy(to + done, bytes_ + at, n); });
  }

 private:
  /// In steps, so that the other side goes on meanwhile.
  template <class Copy>
  int64_t copy(uint64_t position, uint64_t nbytes, std::atomic<uint64_t>& told, const Copy& each) {
    constexpr uint64_t step = 8192;
    for (uint64_t done = 0; done < nbytes;) {
      const uint64_t at = (position + done) & (size_ - 1);
      const uint64_t n = std::min({nbytes - done, size_ - at, step});
      each(done, at, n);
      done += n;
      told.store(position + done, std::memory_order_release);
    }
    return static_cast<int64_t>(nbytes);
  }

  RingHead* head_;
  char* bytes_;
  uint64_t size_;
};

}  // namespace tessera::comm
