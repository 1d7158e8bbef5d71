/// HostCallCounts: how often each line of compiled functions calls the host, and how long that takes, while it is
/// asked.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace tessera::bind {

struct HostCallCount {
  std::string file;
  int64_t line = 0;
  std::string name;  // of the function
  int64_t calls = 0;
  double seconds = 0;
};

/// Whether calls are counted from here on; those that were are forgotten where they are.
void count_host_calls(bool counts);
std::vector<HostCallCount> host_call_counts();

/// Counts the call that lasts as long as it.
class HostCallTimer {
 public:
  /// `file` is the number of a text (kernel/host_routines.h).
  HostCallTimer(int64_t file, int64_t line, const std::string& name);
  ~HostCallTimer();
  HostCallTimer(const HostCallTimer&) = delete;
  HostCallTimer& operator=(const HostCallTimer&) = delete;

 private:
  int64_t file_, line_;
  const std::string& name_;
  bool counts_;
  std::chrono::steady_clock::time_point begin_;
};

}  // namespace tessera::bind
