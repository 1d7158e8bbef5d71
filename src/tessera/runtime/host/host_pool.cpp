#include "tessera/runtime/host/host_pool.h"

#include <algorithm>
#include <atomic>
#include <new>

#include "tessera/base/error.h"
#include "tessera/base/faults.h"
#include "tessera/profile/account.h"
#include "tessera/profile/counters.h"
#include "tessera/runtime/host/large_blocks.h"
#include "tessera/runtime/host/poison.h"
#include "tessera/runtime/host/small_blocks.h"
#include "tessera/runtime/host/system_memory.h"

namespace tessera::runtime {

static_assert(sizeof(Buffer) <= small_blocks::header_size);

struct HostPool::Impl {
  LargeBlocks large;
  std::atomic<int64_t> limit{0};
  std::atomic<int64_t> large_allocations{0};
  std::atomic<int64_t> large_reuses{0};
};

namespace {

/// Constructs a Buffer in the first bytes of a block.
Ref<Buffer> make_buffer(HostPool* pool, void* header, char* data, size_t nbytes, size_t capacity) {
  allow(data, nbytes);
  forbid(data + nbytes, capacity - nbytes);
  return Ref<Buffer>::of_new(new (header) Buffer(pool, data, nbytes, capacity));
}

[[noreturn]] [[gnu::noinline]] void refuse(size_t nbytes, int64_t in_use, int64_t limit) {
  std::string reason = limit ? format(" (the limit is {} and {} are in use)", size_text(limit), size_text(in_use)) : "";
  throw OutOfMemory(format("Unable to allocate {}{}", size_text(static_cast<int64_t>(nbytes)), reason));
}

}  // namespace

HostPool::HostPool() : impl_(new Impl) {}

HostPool& HostPool::instance() {
  static HostPool* pool = new HostPool;  // buffers may outlive static destructors
  return *pool;
}

Ref<Buffer> HostPool::allocate(size_t nbytes) {
  if (faults::fails(faults::Fault::allocation)) [[unlikely]]
    refuse(nbytes, 0, 0);
  if (nbytes <= small_blocks::largest - red_zone) [[likely]] {
    size_t capacity = small_blocks::capacity_for(nbytes + red_zone);
    int64_t limit = impl_->limit.load(std::memory_order_relaxed);
    if (limit) [[unlikely]] {
      int64_t in_use = statistics().bytes_in_use;
      if (in_use + static_cast<int64_t>(nbytes) > limit) refuse(nbytes, in_use, limit);
    }
    void* block = small_blocks::take(capacity);
    if (!block) [[unlikely]]
      refuse(nbytes, 0, 0);
    return make_buffer(this, block, static_cast<char*>(block) + small_blocks::header_size, nbytes, capacity);
  }
  return allocate_large(nbytes, false);
}

Ref<Buffer> HostPool::allocate_zeros(size_t nbytes) {
  invariant(nbytes > small_blocks::largest, "allocate_zeros: {} bytes are a small block", nbytes);
  if (faults::fails(faults::Fault::allocation)) [[unlikely]]
    refuse(nbytes, 0, 0);
  return allocate_large(nbytes, true);
}

Ref<Buffer> HostPool::allocate_large(size_t nbytes, bool zeros) {
  const profile::InRow row(profile::Row::allocation);
  int64_t in_use = impl_->large.bytes_in_use();
  const int64_t limit = this->limit();
  if (nbytes > static_cast<size_t>(INT64_MAX) / 2) refuse(nbytes & INT64_MAX, in_use, 0);
  if (in_use + static_cast<int64_t>(nbytes) > limit) refuse(nbytes, in_use, limit);
  void* header = small_blocks::take(small_blocks::capacity_for(0));
  if (!header) refuse(nbytes, 0, 0);
  LargeBlocks::Block block = impl_->large.take(nbytes + red_zone, zeros);
  if (!block.data) {
    small_blocks::give(header, small_blocks::capacity_for(0));
    refuse(nbytes, 0, 0);
  }
  if (!block.reused && profile::Account::is_on()) profile::Account::own().note_fresh(nbytes);
  (block.reused ? impl_->large_reuses : impl_->large_allocations).fetch_add(1, std::memory_order_relaxed);
  profile::add(block.reused ? profile::Counter::bytes_reused : profile::Counter::bytes_allocated,
               static_cast<int64_t>(block.capacity));
  return make_buffer(this, header, block.data, nbytes, block.capacity);
}

void HostPool::recycle(Buffer* buffer) noexcept {
  size_t capacity = buffer->capacity_;
  forbid(buffer->data_, capacity);
  if (capacity > small_blocks::largest) {
    impl_->large.give(buffer->data_, capacity);
    capacity = small_blocks::capacity_for(0);
  }
  buffer->~Buffer();
  small_blocks::give(buffer, capacity);
}

void HostPool::trim() {
  small_blocks::trim();
  impl_->large.trim();
}

PoolStatistics HostPool::statistics() const {
  small_blocks::Counts small = small_blocks::counts();
  PoolStatistics result;
  std::lock_guard lock(impl_->large.mutex());
  result.bytes_in_use = small.bytes_in_use + impl_->large.bytes_in_use();
  result.bytes_cached = small.bytes_cached + impl_->large.bytes_cached();
  result.peak_bytes_in_use = std::max(result.bytes_in_use, small.bytes_in_use + impl_->large.peak_bytes_in_use());
  result.allocations = small.allocations + impl_->large_allocations;
  result.reuses = small.reuses + impl_->large_reuses;
  return result;
}

void HostPool::set_limit(int64_t bytes) {
  require<ValueError>(bytes >= 0, "set_limit: {} is not a number of bytes", bytes);
  impl_->limit = bytes;
}

int64_t HostPool::limit() const { return impl_->limit ? impl_->limit.load() : memory_limit(); }

void HostPool::lock_for_fork() {
  small_blocks::lock_registry();
  impl_->large.mutex().lock();
}

void HostPool::unlock_after_fork() {
  impl_->large.mutex().unlock();
  small_blocks::unlock_registry();
}

}  // namespace tessera::runtime
