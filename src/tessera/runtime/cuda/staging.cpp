#include "tessera/runtime/cuda/staging.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <optional>

#include "tessera/profile/account.h"
#include "tessera/runtime/cuda/copy_small.h"
#include "tessera/runtime/cuda/forks.h"
#include "tessera/runtime/host/threads.h"

namespace tessera::runtime::cuda {

namespace {

constexpr size_t most_piece_bytes = size_t{2} << 20;
constexpr size_t least_piece_bytes = size_t{256} << 10;
/// As many threads as saturate the bus.
constexpr size_t most_lanes = 16;
/// Up to this size the driver's own staging is as fast.
constexpr size_t small_bytes = size_t{64} << 10;
/// Allocating a lane's pinned memory takes the driver two milliseconds, amortised once this much was copied.
constexpr size_t bytes_worth_a_lane = size_t{16} << 20;
constexpr unsigned without_timing = 2;
/// After this many small copies the CopySmall kernel is loaded: it amortises its cost.
constexpr int many_synchronisations = 8;

/// Polls the word instead of calling the driver, which takes longer to notice; false after a timeout.
bool becomes(uint32_t& word, uint32_t number) {
  constexpr auto most = std::chrono::microseconds(200);
  const auto start = std::chrono::steady_clock::now();
  while (std::atomic_ref(word).load(std::memory_order_acquire) != number) {
    if (std::chrono::steady_clock::now() - start > most) return false;
  }
  return true;
}

/// Copies with non-temporal stores: the data exceeds the caches.
void stream_home(char* to, const char* from, size_t nbytes) {
#ifdef __SSE2__
  size_t done = std::min(nbytes, -reinterpret_cast<uintptr_t>(to) & 15);
  std::memcpy(to, from, done);
  for (; done + 64 <= nbytes; done += 64) {
    for (size_t k = 0; k < 64; k += 16) {
      _mm_stream_si128(reinterpret_cast<__m128i*>(to + done + k),
                       _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + done + k)));
    }
  }
  std::memcpy(to + done, from + done, nbytes - done);
  _mm_sfence();
#else
  std::memcpy(to, from, nbytes);
#endif
}

}  // namespace

bool is_pinned(const Driver& driver, const char* memory, size_t nbytes) {
  constexpr unsigned host_memory = 1;
  const auto is_host_memory = [&](const char* byte) {
    unsigned kind = 0;
    return driver.pointer_attribute(&kind, pointer_memory_type, reinterpret_cast<Address>(byte)) == success &&
           kind == host_memory;
  };
  return nbytes > 0 && is_host_memory(memory) && is_host_memory(memory + nbytes - 1);
}

/// The pieces of one copy, which threads take in turn.
class Staging::Pieces {
 public:
  explicit Pieces(size_t nbytes)
      : nbytes_(nbytes),
        size_(std::clamp(nbytes / most_lanes, least_piece_bytes, most_piece_bytes)),
        count_((nbytes + size_ - 1) / size_) {}
  struct Part {
    size_t offset, nbytes;
  };
  std::optional<Part> next() {
    const size_t k = next_++;
    if (k >= count_) return {};
    return Part{k * size_, std::min(size_, nbytes_ - k * size_)};
  }
  size_t count() const { return count_; }

 private:
  size_t nbytes_, size_, count_;
  std::atomic<size_t> next_{0};
};

void Staging::close() noexcept {
  if (is_forked || (lanes_.empty() && !small_) || driver_.context_set(context_) != success) return;
  driver_.stream_synchronize(stream_);
  for (const Lane& lane : lanes_) {
    for (const Piece& piece : lane) {
      driver_.event_destroy(piece.event);
      driver_.host_free(piece.memory);
    }
  }
  lanes_.clear();
  if (small_) driver_.host_free(small_);
  small_ = nullptr;
}

void Staging::make_lanes(size_t count) {
  while (lanes_.size() < count) {
    Lane lane;
    for (Piece& piece : lane) {
      void* memory = nullptr;
      check(driver_, driver_.host_allocate(&memory, most_piece_bytes, 0), "allocating pinned memory");
      check(driver_, driver_.event_create(&piece.event, without_timing), "making an event");
      piece.memory = static_cast<char*>(memory);
    }
    lanes_.push_back(lane);
  }
}

/// Runs body(lane, pieces) on as many threads as there is work for, until no piece is left; false while the pinned
/// memory of a lane is not amortised.
template <class Body>
bool Staging::in_lanes(size_t nbytes, Body&& body) {
  const profile::InRow row(profile::Row::staging);
  std::lock_guard lock(mutex_);
  copied_ += nbytes;
  Pieces pieces(nbytes);
  const size_t count =
      std::min({pieces.count(), most_lanes, copied_ / bytes_worth_a_lane, static_cast<size_t>(thread_count())});
  if (count == 0) return false;
  make_lanes(count);
  auto run = [&](int64_t begin, int64_t end) {
    check(driver_, driver_.context_set(context_), "entering the device");
    for (int64_t lane = begin; lane < end; ++lane) body(lanes_[static_cast<size_t>(lane)], pieces);
  };
  parallel_for(static_cast<int64_t>(count), 1, run);
  return true;
}

void Staging::copy_in(Address device, const char* host, size_t nbytes) {
  if (nbytes > small_bytes && is_pinned(driver_, host, nbytes)) {
    check(driver_, driver_.copy_in(device, host, nbytes, stream_), "copying to the device");
    check(driver_, driver_.stream_synchronize(stream_), "waiting for the device");
    return;
  }
  const bool is_done = nbytes > small_bytes && in_lanes(nbytes, [&](Lane& lane, Pieces& pieces) {
                         for (size_t turn = 0;; ++turn) {
                           const auto part = pieces.next();
                           if (!part) return;
                           Piece& piece = lane[turn % 2];
                           check(driver_, driver_.event_synchronize(piece.event), "copying to the device");
                           std::memcpy(piece.memory, host + part->offset, part->nbytes);
                           check(driver_, driver_.copy_in(device + part->offset, piece.memory, part->nbytes, stream_),
                                 "copying to the device");
                           check(driver_, driver_.event_record(piece.event, stream_), "copying to the device");
                         }
                       });
  // Pageable memory: the call returns when the driver has its own copy.
  if (!is_done) check(driver_, driver_.copy_in(device, host, nbytes, stream_), "copying to the device");
}

void Staging::copy_out(std::span<const CopyOut> pieces) {
  const auto address = [](const CopyOut& piece) { return reinterpret_cast<Address>(piece.device); };
  for (const CopyOut& piece : pieces)
    if (piece.nbytes > small_bytes) copy_out_large(piece.host, address(piece), piece.nbytes);
  std::lock_guard lock(mutex_);
  if (!small_) {
    void* memory = nullptr;
    check(driver_, driver_.host_allocate(&memory, small_bytes + sizeof(uint32_t), 0), "allocating pinned memory");
    small_ = static_cast<char*>(memory);
    std::memset(small_ + small_bytes, 0, sizeof(uint32_t));
  }
  if (copy_small(pieces)) return;
  size_t first = 0, used = 0;  // bytes of the pieces in flight
  const auto wait = [&](size_t last) {
    if (used > 0) check(driver_, driver_.stream_synchronize(stream_), "waiting for the device");
    for (size_t at = 0; first < last; ++first) {
      const CopyOut& piece = pieces[first];
      if (piece.nbytes > small_bytes) continue;
      std::memcpy(piece.host, small_ + at, piece.nbytes);
      at += piece.nbytes;
    }
    used = 0;
  };
  for (size_t k = 0; k < pieces.size(); ++k) {
    const CopyOut& piece = pieces[k];
    if (piece.nbytes > small_bytes || piece.nbytes == 0) continue;
    if (used + piece.nbytes > small_bytes) wait(k);
    check(driver_, driver_.copy_out(small_ + used, address(piece), piece.nbytes, stream_), "copying from the device");
    used += piece.nbytes;
  }
  wait(pieces.size());
}

/// Copies a few bytes by the CopySmall kernel; false when the driver must copy them.
bool Staging::copy_small(std::span<const CopyOut> pieces) {
  size_t nbytes = 0;
  for (const CopyOut& piece : pieces) nbytes += piece.nbytes;
  if (pieces.size() > CopySmall::most_pieces || nbytes > CopySmall::most_bytes || nbytes == 0) return false;
  if (++synchronisations_ == many_synchronisations) {
    void* module = nullptr;
    const bool is_loaded = driver_.module_load(&module, copy_small_text().c_str()) == success;
    if (is_loaded) check(driver_, driver_.module_function(&copy_small_, module, CopySmall::entry), "finding a kernel");
  }
  if (!copy_small_) return false;
  uint32_t& said = *reinterpret_cast<uint32_t*>(small_ + small_bytes);
  CopySmall given{.to = reinterpret_cast<Address>(small_), .said = reinterpret_cast<Address>(&said), .number = ++sent_};
  for (size_t k = 0; k < pieces.size(); ++k)
    given.pieces[k] = {reinterpret_cast<Address>(pieces[k].device), pieces[k].nbytes};
  void* arguments[] = {&given};
  check(driver_, driver_.launch(copy_small_, 1, 1, 1, CopySmall::threads, 1, 1, 0, stream_, arguments, nullptr),
        "copying bytes to the host");
  if (!becomes(said, sent_)) check(driver_, driver_.stream_synchronize(stream_), "waiting for the device");
  const char* from = small_;
  for (const CopyOut& piece : pieces) {
    std::memcpy(piece.host, from, piece.nbytes);
    from += piece.nbytes;
  }
  return true;
}

void Staging::copy_out_large(char* host, Address device, size_t nbytes) {
  const bool is_done = !is_pinned(driver_, host, nbytes) && in_lanes(nbytes, [&](Lane& lane, Pieces& pieces) {
    const auto start = [&](Piece& piece) {
      const auto part = pieces.next();
      if (!part) return part;
      check(driver_, driver_.copy_out(piece.memory, device + part->offset, part->nbytes, stream_),
            "copying from the device");
      check(driver_, driver_.event_record(piece.event, stream_), "copying from the device");
      return part;
    };
    auto part = start(lane[0]);
    for (size_t turn = 0; part; ++turn) {
      const auto following = start(lane[(turn + 1) % 2]);
      Piece& piece = lane[turn % 2];
      check(driver_, driver_.event_synchronize(piece.event), "waiting for the device");
      stream_home(host + part->offset, piece.memory, part->nbytes);
      part = following;
    }
  });
  if (is_done) return;
  // Also to pageable memory: the bytes are there once the stream's work is done.
  check(driver_, driver_.copy_out(host, device, nbytes, stream_), "copying from the device");
  check(driver_, driver_.stream_synchronize(stream_), "waiting for the device");
}

}  // namespace tessera::runtime::cuda
