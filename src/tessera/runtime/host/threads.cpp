#include "tessera/runtime/host/threads.h"

#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <exception>
#include <thread>
#include <utility>
#include <vector>

#include "tessera/runtime/host/float_environment.h"
#include "tessera/runtime/host/race_detector.h"
#include "tessera/runtime/host/thread_start.h"
#include "tessera/runtime/host/workers.h"

namespace tessera::runtime {

namespace {

/// Set while this thread runs a piece of parallel work: nested work must not wait at the gate.
thread_local bool inside = false;

class InsideMark {
 public:
  InsideMark() : before_(inside) { inside = true; }
  ~InsideMark() { inside = before_; }

 private:
  bool before_;
};

thread_local int number_here = -1;  // of this thread among plain ones

/// By threads that end with the work. Where they cannot be created this one does what they would have done.
void spread_over_threads(int count, int64_t n, int64_t grain, const RangeFn& body) {
  const int64_t pieces = std::min<int64_t>(count, n / grain);
  std::vector<std::exception_ptr> failures(pieces);
  auto run = [&](int64_t piece) {
    FloatEnvironment environment;
    InsideMark mark;
    const int before = std::exchange(number_here, static_cast<int>(piece));
    try {
      body(piece * n / pieces, (piece + 1) * n / pieces);
    } catch (...) {
      failures[piece] = std::current_exception();
    }
    number_here = before;
  };
  std::vector<std::thread> threads;
  threads.reserve(pieces);
  int64_t own = 1;
  try {
    for (; own < pieces; ++own) threads.push_back(start_thread([&run, own] { run(own); }));
  } catch (const std::exception&) {  // no room for a stack
  }
  run(0);
  for (; own < pieces; ++own) run(own);
  for (std::thread& thread : threads) thread.join();
  for (const std::exception_ptr& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
}

#ifdef TESSERA_RACE_DETECTOR
/// oneTBB is not built with the race detector, which would not see its synchronisation: use plain threads instead.
void spread(tbb::task_arena& arena, int64_t n, int64_t grain, const RangeFn& body) {
  spread_over_threads(arena.max_concurrency(), n, grain, body);
}
#else
void spread(tbb::task_arena& arena, int64_t n, int64_t grain, const RangeFn& body) {
  arena.execute([&] {
    tbb::this_task_arena::isolate([&] {
      // A range with this grain size is split only when both halves have at least `grain` elements.
      tbb::parallel_for(tbb::blocked_range<int64_t>(0, n, 2 * grain - 1),
                        [&](const tbb::blocked_range<int64_t>& piece) {
                          make_thread_storage();
                          FloatEnvironment environment;
                          InsideMark mark;
                          body(piece.begin(), piece.end());
                        });
    });
  });
}
#endif

}  // namespace

int thread_number() {
  if (!inside) return 0;
  return number_here >= 0 ? number_here : std::max(0, tbb::this_task_arena::current_thread_index());
}

void parallel_for(int64_t n, int64_t grain, RangeFn body) {
  if (n <= 0) return;
  grain = std::max<int64_t>(grain, 1);
  const int count = n > grain ? thread_count() : 1;
  Workers& workers = Workers::instance();
  if (count > 1 && n >= 2 * grain && !workers.serial()) {
    GatePass pass(workers.gate(), !inside);
    if (tbb::task_arena* arena = workers.arena(count)) return spread(*arena, n, grain, body);
    if (!inside) return spread_over_threads(count, n, grain, body);  // numbers of threads are unique
  }
  FloatEnvironment environment;
  body(0, n);
}

}  // namespace tessera::runtime
