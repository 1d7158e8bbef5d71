/// Replays: runs of a plan that were captured, each of which is queued again as a single launch.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "tessera/engine/support/limits.h"
#include "tessera/plan/plan.h"
#include "tessera/plan/request.h"
#include "tessera/runtime/device.h"

namespace tessera::engine {

/// Gives a value back when it goes, also where an exception leaves.
template <class T>
class Unchanged {
 public:
  explicit Unchanged(T& value) : value_(value), before_(value) {}
  ~Unchanged() { value_ = before_; }
  Unchanged(const Unchanged&) = delete;
  Unchanged& operator=(const Unchanged&) = delete;

 private:
  T& value_;
  T before_;
};

/// What distinguishes one run of a plan from another: the addresses it uses and whatever else decides its launches, and
/// its scalars, which a capture can be changed to.
struct ReplayKey {
  std::vector<uint64_t> places;
  std::vector<uint64_t> scalars;
};
/// The scalars of a request.
std::vector<uint64_t> scalars_of(const plan::Plan& plan, const plan::Request& request);

/// One launch takes the driver some microseconds, and a graph of many hardly more. A run on the same memory as an
/// earlier one, such as an iteration of a loop, is captured and then queued as a whole, with its scalars updated where
/// they differ.
class Replays {
 public:
  /// Whether a run of so many launches should be queued by run(); counts it.
  bool is_worth_it(int launches) {
    return launches >= ReplayLimits::worth_a_replay && ++runs_ > ReplayLimits::most_single_runs;
  }
  /// Queues `work` on the stream, by itself or as a replay. `write` does what `work` does for a replay that is written;
  /// `capture` makes one by it.
  void run(runtime::Stream& stream, ReplayKey key, const std::function<void()>& work,
           const std::function<void()>& write, const std::function<std::unique_ptr<runtime::Replay>()>& capture);
  /// Captures of programs that are not launched any more.
  void forget() {
    known_.clear();
    captures_left_ = ReplayLimits::most_captures;
  }

 private:
  struct Known {
    ReplayKey key;
    std::unique_ptr<runtime::Replay> work;
  };
  std::vector<Known> known_;
  std::array<uint64_t, 32> seen_{};  // hashes of the addresses of runs that were queued step by step
  size_t next_seen_ = 0;
  int captures_left_ = ReplayLimits::most_captures;
  int runs_ = 0;
};

}  // namespace tessera::engine
