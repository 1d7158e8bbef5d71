#include "tessera/bind/kernel/host/host_call_counts.h"

#include <atomic>
#include <map>
#include <mutex>
#include <tuple>

#include "tessera/base/mutex.h"
#include "tessera/kernel/host_routines.h"

namespace tessera::bind {

namespace {

using Site = std::tuple<int64_t, int64_t, std::string>;  // file, line, name

struct Spent {
  int64_t calls = 0;
  double seconds = 0;
};

std::atomic<bool> counts_calls = false;
Mutex sites_mutex;

std::map<Site, Spent>& sites() {
  static std::map<Site, Spent> kept;
  return kept;
}

}  // namespace

void count_host_calls(bool counts) {
  const std::lock_guard lock(sites_mutex);
  if (counts) sites().clear();
  counts_calls = counts;
}

std::vector<HostCallCount> host_call_counts() {
  const std::lock_guard lock(sites_mutex);
  std::vector<HostCallCount> found;
  for (const auto& [site, spent] : sites())
    found.push_back(
        {kernel::interned_text(std::get<0>(site)), std::get<1>(site), std::get<2>(site), spent.calls, spent.seconds});
  return found;
}

HostCallTimer::HostCallTimer(int64_t file, int64_t line, const std::string& name)
    : file_(file), line_(line), name_(name), counts_(counts_calls.load(std::memory_order_relaxed)) {
  if (counts_) begin_ = std::chrono::steady_clock::now();
}

HostCallTimer::~HostCallTimer() {
  if (!counts_) return;
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin_;
  const std::lock_guard lock(sites_mutex);
  Spent& site = sites()[{file_, line_, name_}];
  ++site.calls;
  site.seconds += spent.count();
}

}  // namespace tessera::bind
