#include "tessera/runtime/host/workers.h"

#include <oneapi/tbb/parallel_for.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <latch>
#include <thread>
#include <utility>

namespace tessera::runtime {

namespace {

/// Whether the system limits this process's address space, so that there may be no room for stacks.
bool is_memory_limited() {
  rlimit limit{};
  return getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
}

/// How many of `count` threads, the calling one included, can be created. oneTBB's workers start each other, and a
/// worker that cannot create the next one terminates the process; so that others, which compile meanwhile, do not take
/// the last one's room, there must be room for two more.
int threads_with_room(int count) {
  constexpr int spare = 2;
  std::latch measured(1);
  std::vector<std::thread> threads;
  try {
    while (static_cast<int>(threads.size()) + 1 < count + spare) threads.emplace_back([&] { measured.wait(); });
  } catch (const std::exception&) {  // no more threads can be created
  }
  measured.count_down();
  for (std::thread& thread : threads) thread.join();
  return std::max(1, static_cast<int>(threads.size()) + 1 - spare);
}

/// Starts the workers now, while there is room for them: returns when all have started, or, should another arena hold
/// some of them, after a timeout.
void assemble(tbb::task_arena& arena, int count) {
  constexpr auto most = std::chrono::seconds(5);
  const auto start = std::chrono::steady_clock::now();
  std::atomic<int> here{0};
  arena.execute([&] {
    tbb::parallel_for(
        0, count,
        [&](int) {
          ++here;
          while (here < count && std::chrono::steady_clock::now() - start < most) std::this_thread::yield();
        },
        tbb::simple_partitioner());
  });
}

}  // namespace

tbb::task_arena* Workers::arena(int count) {
  std::lock_guard lock(mutex_);
  count = std::min(count, most_);
  const bool is_new = arenas_.size() <= static_cast<size_t>(count) || !arenas_[count];
  const bool is_tight = is_new && is_memory_limited();
  if (is_tight) {
    const int room = threads_with_room(count);
    if (room < count) most_ = count = room;
  }
  if (count == 1) return nullptr;
  if (!handle_) handle_.emplace(tbb::attach{});
  if (count > allowed_) {
    control_.reset();
    allowed_ = std::max<int>(count, static_cast<int>(std::thread::hardware_concurrency()));
    control_.emplace(tbb::global_control::max_allowed_parallelism, allowed_);
  }
  if (arenas_.size() <= static_cast<size_t>(count)) arenas_.resize(count + 1);
  if (!arenas_[count]) {
    auto made = std::make_unique<tbb::task_arena>(count);
    try {
      made->initialize();
    } catch (const std::exception&) {
      return nullptr;  // an arena that found no memory for itself would be waited for without end
    }
    arenas_[count] = std::move(made);
  }
  if (is_tight) assemble(*arenas_[count], count);
  return arenas_[count].get();
}

void Workers::before_fork() {
  gate_.close();
  arenas_.clear();
  control_.reset();
  allowed_ = 0;
  stopped_ = true;
  if (!handle_) return;
  // Fails when other code in the process uses oneTBB; a child cannot use workers that do not exist in it.
  stopped_ = tbb::finalize(*handle_, std::nothrow);
  handle_.reset();
}

}  // namespace tessera::runtime
