/// Recorder: one thread's window, and the decision when to run which part of it.
#pragma once

#include <algorithm>
#include <atomic>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tessera/engine/device/placement/thread_devices.h"
#include "tessera/engine/record/iterations.h"
#include "tessera/engine/support/context.h"
#include "tessera/engine/support/limits.h"
#include "tessera/engine/support/run_window.h"

namespace tessera::engine {

/// The floating-point events (ir::FloatEvent bits) that are not ignored.
inline uint8_t wanted_events(const ErrorState& errors) {
  const auto bit = [](ErrorMode mode, ir::FloatEvent event) { return (mode != ErrorMode::ignore) * event; };
  return static_cast<uint8_t>(bit(errors.divide, ir::event_divide) | bit(errors.over, ir::event_overflow) |
                              bit(errors.under, ir::event_underflow) | bit(errors.invalid, ir::event_invalid));
}

class Ranks;

struct Recorder : RunWindow, ThreadDevices {
  explicit Recorder(uint64_t engine) : engine_number(engine) {}

  const uint64_t engine_number;   // of the engine whose state it belongs to
  bool running = false;           // its plan is running; other threads wait
  std::atomic<bool> idle{false};  // its thread has ended; the next new thread takes it over
  Ranks* ranks = nullptr;         // its work is on arrays that are cut over ranks; null: on this process's own

  /// Call after recording a node: the nodes before the returned number should run now; begin() for none.
  /// In a loop, whole iterations run one iteration late, when the names of their temporaries have been rebound, so that
  /// dead temporaries are never stored. Iterations with results that exceed `wave_bytes` of cache are gathered into one
  /// plan, so that a later iteration finds in the caches what an earlier one left there (plan/wave.h).
  int64_t due(int window_limit, int64_t wave_bytes) {
    if (end() <= decided_until_ && loops().breaks() == breaks_) [[likely]]
      return begin();
    const int64_t due = decide(window_limit, wave_bytes);
    const bool follows = period_ && !marks_iterations_ && loops().follows(static_cast<uint64_t>(period_));
    decided_until_ = follows ? cut_ + period_ : 0;
    breaks_ = loops().breaks();
    return due;
  }
  /// Reports whether the plan of the next `nodes` nodes was cached.
  void note_plan(int64_t nodes, bool found) {
    if (period_ && !gathers_ && nodes == iterations_.iterations() * period_) iterations_.note(found);
  }
  /// Reports whether a plan that may choose chose the device. Loops whose plans do so are cut as suits a device.
  void note_choice(bool on_device) {
    const bool before = runs_on_device();
    chosen_in_a_row_ = on_device ? chosen_in_a_row_ + 1 : 0;
    if (runs_on_device() != before) forget_loop();
  }
  /// Somebody waits for all of it, so that devices are idle when the next work comes.
  void note_wait() {
    if (rises_) gathered_ = 0, decided_until_ = 0;
  }
  /// The choices so far say nothing of those to come: another thread's, or after another device was set.
  void forget_choices() {
    chosen_in_a_row_ = 0;
    forget_loop();
  }
  /// Makes the decisions for the loop being followed anew.
  void forget_loop() { period_ = decided_until_ = 0; }

 private:
  /// Or over ranks, where loops are cut by what was recorded alone.
  bool runs_on_device() const {
    return ranks || target() || (choice && chosen_in_a_row_ >= WindowLimits::settled_choices);
  }
  int64_t decide(int window_limit, int64_t wave_bytes);
  int64_t cut_behind_write(int64_t otherwise) const;
  int64_t cut_for_memory();
  int64_t count_held() const;
  int64_t best_boundary(int64_t period) const;
  uint64_t hash_of_iteration(int64_t period) const;
  void follow_iterations();
  int most_iterations_at_once(int64_t period) const;
  bool has_large_results(int64_t period, int64_t nbytes) const;
  bool is_over_devices(int64_t period) const;
  int gather(int64_t period, int window_limit);
  void watch_memory();

  int chosen_in_a_row_ = 0;        // consecutive plans that chose the device
  int64_t period_ = 0;             // of the loop being followed; 0 outside loops
  bool gathers_ = false;           // its iterations are large, and several run as one plan
  bool rises_ = false;             // few of them at first, since devices wait meanwhile
  int gathered_ = 0;               // the last plan's
  bool marks_iterations_ = false;  // no kernel spans two iterations
  IterationsAtOnce iterations_;    // used unless gathers_
  int64_t held_before_ = 0;        // held_bytes at the end of the last iteration
  int holding_more_ = 0;           // the last iterations, so many, held more than the one before them
  int64_t counted_from_ = 0;       // begin() when held_bytes was last counted
  int64_t boundary_ = 0;           // where an iteration begins
  int64_t cut_ = 0;                // the boundary up to which nodes run next
  int64_t decided_until_ = 0;      // no nodes are due before this node unless the loop breaks
  uint64_t breaks_ = 0;            // loops().breaks() at that time
};

}  // namespace tessera::engine
