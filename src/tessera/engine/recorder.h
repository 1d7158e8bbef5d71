/// Recorder: one thread's window, and the decision when to run how much of it.
#pragma once

#include <atomic>
#include <vector>

#include "tessera/engine/device/loop_plans.h"
#include "tessera/engine/device/prospect.h"
#include "tessera/engine/engine.h"
#include "tessera/engine/iterations.h"
#include "tessera/graph/window.h"
#include "tessera/runtime/device.h"

namespace tessera::engine {

/// Who asked to hear of the floating-point events of a node.
struct Watch {
  ops::OpId op;
  uint32_t events;  // ir::FloatEvent bits
  uint64_t site;

  explicit Watch(const graph::Node& node) : op(node.form->op), events(node.form->events), site(node.site) {}
};

class PlacedCall;

struct Recorder : graph::Window {
  std::vector<FloatReport> reports;
  bool running = false;               // its plan is running; others wait
  runtime::Device* device = nullptr;  // where its plans were to run; null: on the host
  Prospect* choice = nullptr;         // a device that each plan may choose instead of the host
  LoopPlans loop_plans;               // of those that may choose
  PlacedCall* call = nullptr;         // that runs now, the innermost one
  std::atomic<bool> idle{false};      // its thread is gone; the next thread takes it over

  /// Where its plans run: the host also when the device is out of reach.
  runtime::Device* target() const { return device && device->is_usable() ? device : nullptr; }
  /// Events that happened in a watched node.
  void report(const Watch& watch, uint32_t happened) {
    if (const uint32_t wanted = happened & watch.events) reports.push_back({watch.op, wanted, watch.site});
  }
  /// After a node was recorded: nodes before the returned number should run now; begin() for none.
  /// In a loop whole turns run one turn late, when the names of their temporaries have been bound anew, so that dead
  /// temporaries are never stored. Turns that move more than caches of `wave_bytes` hold gather, so that what one
  /// leaves in the caches the next one finds there (plan/wave.h).
  int64_t due(int window_limit, int64_t wave_bytes) {
    if (end() <= decided_until_ && loops().breaks() == breaks_) [[likely]]
      return begin();
    const int64_t due = decide(window_limit, wave_bytes);
    const bool follows = period_ && !marks_iterations_ && loops().follows(static_cast<uint64_t>(period_));
    decided_until_ = follows ? cut_ + period_ : 0;
    breaks_ = loops().breaks();
    return due;
  }
  /// Whether the plan of the next `nodes` nodes was known.
  void note_plan(int64_t nodes, bool found) {
    if (period_ && !gathers_ && nodes == iterations_.iterations() * period_) iterations_.note(found);
  }
  /// Whether a plan that may choose chose the device. Loops whose plans do are cut as suits a device.
  void note_choice(bool on_device) {
    const bool before = runs_on_device();
    chosen_in_a_row_ = on_device ? chosen_in_a_row_ + 1 : 0;
    if (runs_on_device() != before) forget_loop();
  }
  /// What was decided for the loop being followed is decided again.
  void forget_loop() { period_ = decided_until_ = 0; }

 private:
  bool runs_on_device() const {
    constexpr int settled = 4;
    return target() || chosen_in_a_row_ >= settled;
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
  int gather(int64_t period, int window_limit);
  void watch_memory();

  int chosen_in_a_row_ = 0;        // plans that chose the device
  int64_t period_ = 0;             // of the loop being followed, 0 outside loops
  bool gathers_ = false;           // its turns are large and run several at once
  bool marks_iterations_ = false;  // no kernel spans two of them
  IterationsAtOnce iterations_;    // unless it gathers
  int64_t held_before_ = 0;        // held_bytes at the end of the last turn
  bool holds_more_ = false;        // than the turn before it
  int64_t counted_from_ = 0;       // where the window began when held_bytes was last counted
  int64_t boundary_ = 0;           // where a turn begins
  int64_t cut_ = 0;                // the boundary up to which nodes run next
  int64_t decided_until_ = 0;      // nothing is due before this node unless the loop breaks
  uint64_t breaks_ = 0;            // loops().breaks() then
};

}  // namespace tessera::engine
