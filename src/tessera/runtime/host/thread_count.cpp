#include <sched.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <string_view>
#include <thread>

#include "tessera/base/error.h"
#include "tessera/runtime/host/threads.h"

namespace tessera::runtime {

namespace {

std::atomic<int> chosen{0};
constexpr int most_threads = 1024;

int cores_by_affinity() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) == 0) return std::max(1, CPU_COUNT(&set));
  return std::max(1u, std::thread::hardware_concurrency());
}

/// A control group's CPU quota: more threads than that would only be throttled.
int cores_by_quota() {
  std::ifstream file("/sys/fs/cgroup/cpu.max");
  double quota = 0, period = 0;
  if (!(file >> quota >> period) || quota <= 0 || period <= 0) return most_threads;
  return std::max(1, static_cast<int>(std::ceil(quota / period)));
}

int count_from_environment() {
  const char* text = std::getenv("TESSERA_CPUS");
  if (!text || !*text) return std::min(cores_by_affinity(), cores_by_quota());
  std::string_view view(text);
  int count = 0;
  auto [end, error] = std::from_chars(view.begin(), view.end(), count);
  require<ValueError>(error == std::errc{} && end == view.end() && count >= 1 && count <= most_threads,
                      "TESSERA_CPUS: '{}' is not a number of threads between 1 and {}", view, most_threads);
  return count;
}

}  // namespace

int thread_count() {
  int count = chosen.load(std::memory_order_relaxed);
  if (count) [[likely]]
    return count;
  count = count_from_environment();
  int unset = 0;
  return chosen.compare_exchange_strong(unset, count) ? count : unset;
}

void set_thread_count(int count) {
  require<ValueError>(count >= 1 && count <= most_threads, "set_thread_count: {} is not between 1 and {}", count,
                      most_threads);
  chosen = count;
}

}  // namespace tessera::runtime
