#include "tessera/profile/progress.h"

#include <chrono>

#include "tessera/base/mutex.h"

namespace tessera::profile {

namespace {

using Clock = std::chrono::steady_clock;

struct Shared {
  Mutex mutex;
  int64_t active = 0, number = 0, total = 0;
  std::string name;
  Clock::time_point start;
  std::atomic<bool> counts{false};
  std::atomic<int64_t> done{0};
};

Shared& shared() {
  static Shared& all = *new Shared;  // threads may end after static objects
  return all;
}

}  // namespace

bool counts_progress() { return shared().counts.load(std::memory_order_relaxed); }
void set_counts_progress(bool counts) { shared().counts.store(counts, std::memory_order_relaxed); }

UnderWay::UnderWay(const std::string& name, int64_t lanes) : is_counted_(counts_progress()) {
  if (!is_counted_) [[likely]]
    return;
  Shared& all = shared();
  const std::lock_guard lock(all.mutex);
  if (all.active++ == 0) {
    ++all.number;
    all.total = 0;
    all.done.store(0, std::memory_order_relaxed);
    all.start = Clock::now();
  }
  all.total += lanes;
  all.name = name;
}

void UnderWay::end() {
  const std::lock_guard lock(shared().mutex);
  --shared().active;
}

void add_progress(int64_t lanes) { shared().done.fetch_add(lanes, std::memory_order_relaxed); }

std::optional<ProgressState> progress() {
  Shared& all = shared();
  const std::lock_guard lock(all.mutex);
  if (all.active == 0) return {};
  const double seconds = std::chrono::duration<double>(Clock::now() - all.start).count();
  return ProgressState{all.number, all.name, all.done.load(std::memory_order_relaxed), all.total, seconds};
}

}  // namespace tessera::profile
