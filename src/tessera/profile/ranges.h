/// Range: a named span of work, shown by the profiler that is attached to the process (NVTX).
#pragma once

#include <cstdint>
#include <string>

namespace tessera::profile {

/// Whether a profiler is attached, as NVTX_INJECTION64_PATH names its library. Checked once; without one a range costs
/// a branch.
bool has_listener();
void push_range(const char* name);
/// The same in a colour, as alpha, red, green and blue in a byte each, where the profiler takes colours.
void push_range(const char* name, uint32_t argb);
void pop_range();

class Range {
 public:
  explicit Range(const char* name) : shown_(has_listener()) {
    if (shown_) [[unlikely]]
      push_range(name);
  }
  ~Range() {
    if (shown_) [[unlikely]]
      pop_range();
  }
  Range(const Range&) = delete;
  Range& operator=(const Range&) = delete;

 private:
  bool shown_;
};

}  // namespace tessera::profile
