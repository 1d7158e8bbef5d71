#include "tessera/runtime/host/workers.h"

#include <oneapi/tbb/parallel_for.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <fstream>
#include <optional>
#include <thread>
#include <utility>

#include "tessera/runtime/host/thread_start.h"

namespace tessera::runtime {

namespace {

/// How many bytes of this process's address space are left, if the system limits it.
std::optional<int64_t> bytes_left() {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return std::nullopt;
  int64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return static_cast<int64_t>(limit.rlim_cur) - pages * sysconf(_SC_PAGESIZE);
}

/// Starts the workers now, while there is room for them: returns when all have started, or after a timeout.
void assemble(tbb::task_arena& arena, int count) {
  constexpr auto most = std::chrono::milliseconds(100);
  const auto start = std::chrono::steady_clock::now();
  std::atomic<int> here{0};
  arena.execute([&] {
    tbb::parallel_for(
        0, count,
        [&](int) {
          make_thread_storage();
          ++here;
          while (here < count && std::chrono::steady_clock::now() - start < most) std::this_thread::yield();
        },
        tbb::simple_partitioner());
  });
}

}  // namespace

// oneTBB's workers start each other, and a worker that cannot create the next one ends the process. So there must be
// room for more than their stacks: other threads take some meanwhile.
tbb::task_arena* Workers::arena(int count) {
  std::lock_guard lock(mutex_);
  const bool is_new = arenas_.size() <= static_cast<size_t>(count) || !arenas_[count];
  const std::optional<int64_t> left = is_new ? bytes_left() : std::nullopt;
  constexpr int64_t room = 32 << 20;  // for a thread
  if (left && *left < (count + 2) * room) return nullptr;
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
  if (left) assemble(*arenas_[count], count);
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
