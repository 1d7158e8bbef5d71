/// PlacedCall: one call by the user that is placed once, even if it consists of several routines.
#pragma once

#include <exception>
#include <optional>

#include "tessera/plan/cost_model.h"
#include "tessera/profile/account.h"
#include "tessera/runtime/device.h"

namespace tessera::engine {

class Placer;
struct ThreadDevices;

/// Lives on the stack for the duration of the call; the first routine that queries the placement decides for the
/// others. Measures the time of the call.
class PlacedCall {
 public:
  /// `window`: of the thread that makes the call; null for none.
  explicit PlacedCall(ThreadDevices* window);
  ~PlacedCall() {
    if (window_) [[unlikely]]
      leave();
  }
  PlacedCall(const PlacedCall&) = delete;
  PlacedCall& operator=(const PlacedCall&) = delete;

 private:
  friend class Placer;
  void leave();

  ThreadDevices* window_;  // of a thread with a choice, else null
  PlacedCall* outer_ = nullptr;
  Placer* placer_ = nullptr;  // set once the placement is decided
  runtime::Device* device_ = nullptr;
  bool is_timed_ = false;
  const int exceptions_ = std::uncaught_exceptions();
  plan::CallCost cost_;
  std::optional<profile::Measured> measured_;  // since it was placed
  // Of the results.
  uint32_t maker_ = 0;
  uint32_t working_set_ = 0;
  bool stays_ = false;
};

}  // namespace tessera::engine
