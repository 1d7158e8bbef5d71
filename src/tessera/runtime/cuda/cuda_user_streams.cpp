#include "tessera/runtime/cuda/cuda_user_streams.h"

#include <algorithm>
#include <deque>
#include <utility>

#include "tessera/runtime/adopted_buffer.h"
#include "tessera/runtime/cuda/cuda_program.h"
#include "tessera/runtime/cuda/forks.h"
#include "tessera/runtime/cuda/staging.h"

namespace tessera::runtime::cuda {

namespace {

constexpr unsigned for_all_contexts = 1;  // CU_MEMHOSTALLOC_PORTABLE, CU_MEMHOSTREGISTER_PORTABLE

}  // namespace

class CudaUserStream final : public UserStream, public std::enable_shared_from_this<CudaUserStream> {
 public:
  CudaUserStream(CudaUserStreams& all, void* handle)
      : all_(all), is_ours_(handle == nullptr), stream_(all.driver_, all.context_, all.pool_, all.on_failure_, handle) {
    stream_.set_before_work([this] { follow(); });
    if (handle) share();
  }
  ~CudaUserStream() override { all_.remove(*this); }

  Device& device() override { return all_.device_; }
  Stream& stream() override { return stream_; }
  void* share() override {
    is_shared_ = true;
    return stream_.handle();
  }
  void start_copy_in(char* device, const char* pinned, size_t nbytes) override {
    stream_.start_copy_in(device, pinned, nbytes);
  }
  void start_copy_out(char* pinned, const char* device, size_t nbytes) override {
    stream_.start_copy_out(pinned, device, nbytes);
  }
  void hold(std::vector<Ref<Buffer>> memory) override {
    release_done();
    Held held{std::move(memory), std::make_unique<CudaEvent>(all_.driver_, stream_.get())};
    const std::lock_guard lock(all_.mutex_);
    held_.push_back(std::move(held));
    all_.hold_memory_ = true;
    note_work();
  }
  void release_done() override {
    std::vector<Held> done;  // given up outside of the lock: other code may own memory
    const std::lock_guard lock(all_.mutex_);
    move_done(done);
  }

 private:
  friend class CudaUserStreams;
  struct Held {
    std::vector<Ref<Buffer>> memory;
    std::unique_ptr<CudaEvent> until;
  };

  /// The caller has the lock.
  void move_done(std::vector<Held>& done) {
    while (!held_.empty() && held_.front().until->is_done()) {
      done.push_back(std::move(held_.front()));
      held_.pop_front();
    }
  }
  /// Orders the next work behind what the GPU's own stream was given since the last time.
  void follow() {
    note_work();
    const uint64_t requests = all_.own_.requests();
    if (std::exchange(followed_, requests) == requests) return;
    all_.own_.settle();
    stream_.follow(all_.own_.get());
  }
  void note_work() {
    has_work_ = true;
    all_.have_work_ = true;
  }

  CudaUserStreams& all_;
  const bool is_ours_;
  CudaStream stream_;
  uint64_t followed_ = ~uint64_t{0};  // requests to the GPU's own stream that this one is ordered behind
  std::atomic<bool> has_work_ = false;
  std::atomic<bool> is_shared_ = false;  // work may be there at any time
  std::deque<Held> held_;
};

CudaUserStreams::CudaUserStreams(const Driver& driver, void* context, MemoryPool& pool, Device& device, CudaStream& own,
                                 std::function<void(const char*)> on_failure)
    : driver_(driver), context_(context), pool_(pool), device_(device), own_(own), on_failure_(std::move(on_failure)) {
  own_.set_before_work([this] { join(); });
}

std::shared_ptr<UserStream> CudaUserStreams::make(void* handle) {
  own_.enter();
  if (handle) {
    const std::lock_guard lock(mutex_);
    for (CudaUserStream* known : streams_)
      if (known->stream_.get() == handle)
        if (std::shared_ptr<CudaUserStream> same = known->weak_from_this().lock()) return same;
  }
  auto stream = std::make_shared<CudaUserStream>(*this, handle);
  const std::lock_guard lock(mutex_);
  streams_.push_back(stream.get());
  return stream;
}

/// Before work of the GPU's own stream.
void CudaUserStreams::join() {
  if (have_work_.load(std::memory_order_relaxed)) [[unlikely]]
    join_all();
}

void CudaUserStreams::join_all() {
  const std::lock_guard lock(mutex_);
  have_work_ = false;
  for (CudaUserStream* stream : streams_) {
    if (stream->is_shared_) have_work_ = true;
    if (stream->has_work_.exchange(false) || stream->is_shared_) own_.follow(stream->stream_.get());
  }
}

void CudaUserStreams::remove(CudaUserStream& stream) noexcept {
  std::deque<CudaUserStream::Held> held;
  {
    const std::lock_guard lock(mutex_);
    std::erase(streams_, &stream);
    held = std::move(stream.held_);
  }
  if (is_forked) {  // the driver must not be called any more
    for (CudaUserStream::Held& entry : held) static_cast<void>(entry.until.release());
    return;
  }
  if (driver_.context_set(context_) != success) return;
  // Whoever gets the memory next is ordered behind the GPU's own stream. A stream of other code may be gone by now.
  try {
    if (!stream.is_ours_) {
      for (const CudaUserStream::Held& entry : held) entry.until->wait();
      return;
    }
    own_.follow(stream.stream_.get());
  } catch (const std::exception&) {  // the GPU failed: nothing runs any more
  }
}

void CudaUserStreams::release_done() {
  if (!hold_memory_) return;
  std::vector<CudaUserStream::Held> done;
  const std::lock_guard lock(mutex_);
  hold_memory_ = false;
  for (CudaUserStream* stream : streams_) {
    stream->move_done(done);
    if (!stream->held_.empty()) hold_memory_ = true;
  }
}

bool CudaUserStreams::release_memory() {
  std::deque<CudaUserStream::Held> held;
  {
    const std::lock_guard lock(mutex_);
    for (CudaUserStream* stream : streams_) {
      if (stream->held_.empty()) continue;
      check(driver_, driver_.stream_synchronize(stream->stream_.get()), "waiting for a stream");
      for (auto& entry : stream->held_) held.push_back(std::move(entry));
      stream->held_.clear();
    }
  }
  return !held.empty();
}

void CudaUserStreams::wait_for_all() noexcept {
  if (is_forked || driver_.context_set(context_) != success) return;
  const std::lock_guard lock(mutex_);
  for (CudaUserStream* stream : streams_) driver_.stream_synchronize(stream->stream_.get());
}

Ref<Buffer> CudaUserStreams::allocate_pinned(size_t nbytes) {
  own_.enter();
  void* memory = nullptr;
  check(driver_, driver_.host_allocate(&memory, std::max<size_t>(nbytes, 1), for_all_contexts),
        "allocating pinned memory");
  return runtime::adopt(memory, nbytes, [this, memory] {
    wait_for_all();
    if (!is_forked) driver_.host_free(memory);
  });
}

void CudaUserStreams::pin(char* memory, size_t nbytes) {
  own_.enter();
  check(driver_, driver_.host_register(memory, nbytes, for_all_contexts), "pinning memory");
}

void CudaUserStreams::unpin(char* memory) {
  own_.enter();
  wait_for_all();
  check(driver_, driver_.host_unregister(memory), "releasing pinned memory");
}

bool CudaUserStreams::is_pinned(const char* memory, size_t nbytes) {
  own_.enter();
  return cuda::is_pinned(driver_, memory, nbytes);
}

}  // namespace tessera::runtime::cuda
