#include "tessera/runtime/host/threads.h"

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>
#include <pthread.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <latch>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "tessera/runtime/host/background.h"
#include "tessera/runtime/host/float_environment.h"
#include "tessera/runtime/host/gate.h"
#include "tessera/runtime/host/host_pool.h"
#include "tessera/runtime/host/host_stream.h"
#include "tessera/runtime/host/race_detector.h"

namespace tessera::runtime {

namespace {

/// Whether the system limits this process's address space, so that there may be no room for stacks.
bool is_memory_limited() {
  rlimit limit{};
  return getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
}

/// How many of `count` threads, the calling one included, can be created. oneTBB's workers start each other, and a
/// worker that cannot create the next one terminates the process.
int threads_with_room(int count) {
  std::latch measured(1);
  std::vector<std::thread> threads;
  try {
    while (static_cast<int>(threads.size()) + 1 < count) threads.emplace_back([&] { measured.wait(); });
  } catch (const std::exception&) {  // no more threads can be created
  }
  measured.count_down();
  for (std::thread& thread : threads) thread.join();
  return static_cast<int>(threads.size()) + 1;
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
          ++here;
          while (here < count && std::chrono::steady_clock::now() - start < most) std::this_thread::yield();
        },
        tbb::simple_partitioner());
  });
}

/// oneTBB's workers, and one arena per requested thread count. Shut down around fork.
class Workers {
 public:
  static Workers& instance() {
    static Workers* workers = new Workers;  // never destroyed: threads may outlive static objects
    return *workers;
  }

  /// Entered while parallel work runs, closed while the workers are shut down.
  Gate& gate() { return gate_; }

  /// The arena for `count` threads, or as many as can be created; null when that is one. Call inside the gate.
  tbb::task_arena* arena(int count) {
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
    if (!arenas_[count]) arenas_[count] = std::make_unique<tbb::task_arena>(count);
    if (is_tight) assemble(*arenas_[count], count);
    return arenas_[count].get();
  }

  void before_fork() {
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
  void after_fork_in_parent() { gate_.open(); }
  void after_fork_in_child() {
    serial_ = serial_ || !stopped_;
    gate_.open();
  }
  bool serial() const { return serial_; }

 private:
  Gate gate_;
  std::mutex mutex_;
  std::optional<tbb::task_scheduler_handle> handle_;
  std::optional<tbb::global_control> control_;
  std::vector<std::unique_ptr<tbb::task_arena>> arenas_;
  int allowed_ = 0;
  int most_ = std::numeric_limits<int>::max();  // threads that could be created
  bool stopped_ = true;
  bool serial_ = false;
};

/// Set while this thread runs a piece of parallel work: nested work must not wait at the gate.
thread_local bool inside = false;

class InsideMark {
 public:
  InsideMark() : before_(inside) { inside = true; }
  ~InsideMark() { inside = before_; }

 private:
  bool before_;
};

#ifdef TESSERA_RACE_DETECTOR
/// oneTBB is not built with the race detector, which would not see its synchronisation: use plain threads instead.
void spread(tbb::task_arena& arena, int64_t n, int64_t grain, const RangeFn& body) {
  const int64_t pieces = std::min<int64_t>(arena.max_concurrency(), n / grain);
  std::vector<std::exception_ptr> failures(pieces);
  auto run = [&](int64_t piece) {
    FloatEnvironment environment;
    InsideMark mark;
    try {
      body(piece * n / pieces, (piece + 1) * n / pieces);
    } catch (...) {
      failures[piece] = std::current_exception();
    }
  };
  std::vector<std::thread> threads;
  for (int64_t piece = 1; piece < pieces; ++piece) threads.emplace_back(run, piece);
  run(0);
  for (std::thread& thread : threads) thread.join();
  for (const std::exception_ptr& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
}
#else
void spread(tbb::task_arena& arena, int64_t n, int64_t grain, const RangeFn& body) {
  arena.execute([&] {
    tbb::this_task_arena::isolate([&] {
      // A range with this grain size is split only when both halves have at least `grain` elements.
      tbb::parallel_for(tbb::blocked_range<int64_t>(0, n, 2 * grain - 1),
                        [&](const tbb::blocked_range<int64_t>& piece) {
                          FloatEnvironment environment;
                          InsideMark mark;
                          body(piece.begin(), piece.end());
                        });
    });
  });
}
#endif

}  // namespace

void parallel_for(int64_t n, int64_t grain, RangeFn body) {
  if (n <= 0) return;
  grain = std::max<int64_t>(grain, 1);
  int count = n > grain ? thread_count() : 1;
  Workers& workers = Workers::instance();
  if (count > 1 && n >= 2 * grain && !workers.serial()) {
    GatePass pass(workers.gate(), !inside);
    if (tbb::task_arena* arena = workers.arena(count)) return spread(*arena, n, grain, body);
  }
  FloatEnvironment environment;
  body(0, n);
}

void install_fork_handlers() {
  static std::once_flag once;
  std::call_once(once, [] {
    Workers::instance();
    BackgroundWorkers::in_order();
    BackgroundWorkers::concurrently();
    auto before = [] {
      HostStream::instance().before_fork();
      BackgroundWorkers::in_order().before_fork();
      BackgroundWorkers::concurrently().before_fork();
      Workers::instance().before_fork();
      HostPool::instance().lock_for_fork();
    };
    auto in_parent = [] {
      HostPool::instance().unlock_after_fork();
      Workers::instance().after_fork_in_parent();
      BackgroundWorkers::concurrently().after_fork();
      BackgroundWorkers::in_order().after_fork();
    };
    auto in_child = [] {
      HostPool::instance().unlock_after_fork();
      Workers::instance().after_fork_in_child();
      BackgroundWorkers::concurrently().after_fork();
      BackgroundWorkers::in_order().after_fork();
    };
    pthread_atfork(before, in_parent, in_child);
  });
}

}  // namespace tessera::runtime
