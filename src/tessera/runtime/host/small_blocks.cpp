#include "tessera/runtime/host/small_blocks.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstdlib>
#include <vector>

#include "tessera/base/mutex.h"

namespace tessera::runtime::small_blocks {

namespace {

// Multiples of 64 up to 1 KiB, then four classes per doubling.
constexpr size_t linear_classes = 16;
constexpr size_t class_count = linear_classes + 4 * 5;
constexpr int64_t kept_bytes_per_class = int64_t{512} << 10;

size_t class_for(size_t nbytes) {
  if (nbytes <= 1024) return nbytes ? (nbytes - 1) >> 6 : 0;
  size_t last = nbytes - 1;
  int log = std::bit_width(last) - 1;  // >= 10
  return linear_classes + 4 * (log - 10) + ((last >> (log - 2)) & 3);
}

constexpr size_t capacity_of(size_t index) {
  if (index < linear_classes) return (index + 1) * 64;
  size_t k = index - linear_classes;
  return (size_t{1024} << (k / 4)) / 4 * (5 + k % 4);
}
static_assert(capacity_of(class_count - 1) == largest);

struct FreeBlock {
  FreeBlock* next;
};

/// A counter written only by its own thread and read by others.
class Counter {
 public:
  void add(int64_t n) { value_.store(value_.load(std::memory_order_relaxed) + n, std::memory_order_relaxed); }
  int64_t get() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<int64_t> value_{0};
};

struct ThreadLists {
  std::array<FreeBlock*, class_count> heads{};
  std::array<int64_t, class_count> kept{};
  Counter in_use, cached, allocations, reuses;

  void release_all() {
    for (size_t k = 0; k < class_count; ++k) {
      while (FreeBlock* block = heads[k]) {
        heads[k] = block->next;
        std::free(block);
      }
      cached.add(-kept[k]);
      kept[k] = 0;
    }
  }
};

struct Registry {
  Mutex mutex;
  std::vector<ThreadLists*> threads;
  Counts departed;  // counts of finished threads
};
Registry& registry() {
  static Registry* instance = new Registry;  // threads may end after static destructors have run
  return *instance;
}

/// `lists` is null before the first use and after the thread's end; then blocks come from malloc directly.
[[gnu::tls_model("initial-exec")]] thread_local ThreadLists* lists = nullptr;
thread_local bool departed = false;

struct Departure {
  ThreadLists own;
  Departure() {
    Registry& r = registry();
    std::lock_guard lock(r.mutex);
    r.threads.push_back(&own);
    lists = &own;
  }
  ~Departure() {
    lists = nullptr;
    departed = true;
    own.release_all();
    Registry& r = registry();
    std::lock_guard lock(r.mutex);
    std::erase(r.threads, &own);
    r.departed.bytes_in_use += own.in_use.get();
    r.departed.allocations += own.allocations.get();
    r.departed.reuses += own.reuses.get();
  }
};

ThreadLists* join_registry() {
  if (departed) return nullptr;
  static thread_local Departure departure;
  return lists;
}

ThreadLists* current() { return lists ? lists : join_registry(); }

void count_departed(int64_t in_use) {
  Registry& r = registry();
  std::lock_guard lock(r.mutex);
  r.departed.bytes_in_use += in_use;
}

}  // namespace

void join() noexcept { current(); }

size_t capacity_for(size_t nbytes) { return capacity_of(class_for(nbytes)); }

void* take(size_t capacity) noexcept {
  ThreadLists* own = current();
  auto size = static_cast<int64_t>(capacity);
  if (own) {
    size_t k = class_for(capacity);
    if (FreeBlock* block = own->heads[k]) {
      own->heads[k] = block->next;
      own->kept[k] -= size;
      own->cached.add(-size);
      own->in_use.add(size);
      own->reuses.add(1);
      return block;
    }
  }
  void* block = std::aligned_alloc(64, header_size + capacity);
  if (!block) return nullptr;
  if (own) {
    own->in_use.add(size);
    own->allocations.add(1);
  } else {
    count_departed(size);
  }
  return block;
}

void give(void* memory, size_t capacity) noexcept {
  ThreadLists* own = current();
  auto size = static_cast<int64_t>(capacity);
  if (!own) {
    std::free(memory);
    count_departed(-size);
    return;
  }
  own->in_use.add(-size);
  size_t k = class_for(capacity);
  if (own->kept[k] + size > kept_bytes_per_class) {
    std::free(memory);
    return;
  }
  auto* block = static_cast<FreeBlock*>(memory);
  block->next = own->heads[k];
  own->heads[k] = block;
  own->kept[k] += size;
  own->cached.add(size);
}

void trim() noexcept {
  if (lists) lists->release_all();
}

Counts counts() {
  Registry& r = registry();
  std::lock_guard lock(r.mutex);
  Counts sum = r.departed;
  for (const ThreadLists* own : r.threads) {
    sum.bytes_in_use += own->in_use.get();
    sum.bytes_cached += own->cached.get();
    sum.allocations += own->allocations.get();
    sum.reuses += own->reuses.get();
  }
  return sum;
}

void lock_registry() { registry().mutex.lock(); }
void unlock_registry() { registry().mutex.unlock(); }

}  // namespace tessera::runtime::small_blocks
