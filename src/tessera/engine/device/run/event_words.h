/// EventWords: the floating-point events (status flags) that kernels on one device raise, read when the host waits.
#pragma once

#include <cstdint>
#include <vector>

#include "tessera/engine/device/run/device_plan.h"
#include "tessera/engine/support/run_window.h"
#include "tessera/plan/request.h"
#include "tessera/runtime/device.h"

namespace tessera::engine {

class EventWords {
 public:
  explicit EventWords(runtime::Device& device) : device_(device) {}

  /// Makes room for so many shared words; what was raised before may be collected.
  void reserve(int64_t count);
  /// Gives the plan words of its own, the same in every run; false when none are left.
  bool reserve_own(DevicePlan& bound);
  /// Returns the index of the plan's first word, and records which nodes and window watch them.
  int64_t watch(const plan::Plan& plan, DevicePlan& bound, const plan::Request& request, RunWindow& window);
  /// Where a kernel raises the events of word `index`.
  const char* address(int64_t index) const { return words_->data() + 4 * index; }
  /// Words that nobody reads, or those at `index` where so many are wanted that there are none.
  const char* unread(int64_t index, size_t count) const;
  /// Waits for the device and reports its events to the windows that recorded them.
  void collect();
  /// Copies of the words in use to `words`, for hand_out.
  std::vector<runtime::CopyOut> pieces(std::vector<uint32_t>& words) const;
  /// Reports what pieces() copied, which nobody has collected meanwhile.
  void hand_out(const std::vector<uint32_t>& words);
  bool has_watches() const { return !pending_.empty(); }
  /// How often events were handed out.
  uint64_t collections() const { return collections_; }

 private:
  struct Pending {
    int64_t word;
    RunWindow* window;
    Watch watch;
  };

  runtime::Device& device_;
  Ref<runtime::Buffer> words_;  // of all work whose events were not collected yet
  int64_t used_ = 0;            // of the words shared by runs
  int64_t own_used_ = 0;        // of the words owned by plans
  uint64_t collections_ = 1;
  std::vector<Pending> pending_;
};

}  // namespace tessera::engine
