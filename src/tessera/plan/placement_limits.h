/// Limits: the numbers by which work is placed. None of them decides bits.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tessera::plan {

/// Which work is considered for a device, and how what is learned is weighed (bench/placement.md).
struct PlacementLimits {
  /// Bytes of operands, and steps on the host, from which on a call is considered: a launch takes as long as less.
  static constexpr int64_t call_bytes = 1 << 16;
  static constexpr double call_steps = 1e5;
  /// Steps on the host below which no device saves anything on operands there: a launch and waiting for it take longer.
  static constexpr double least_steps = 1e4;
  /// Launches of a call beyond which host and device are compared even where a device is set.
  static constexpr int many_launches = 1024;
  /// Bytes of a new array from which on it is allocated where it is first used, or what would compute it at once on the
  /// host is recorded.
  static constexpr int64_t array_bytes = 1 << 18;
  /// Bytes of results from which on nodes that need nothing of the others may run on another device than those.
  static constexpr int64_t spread_bytes = 1 << 20;
  /// Weight of the latest large copy to a device in how long they take, where it took longer than others.
  static constexpr double copy_weight = 1.0 / 16;
  /// Bytes of a copy from outside that is timed.
  static constexpr int64_t timed_bytes = 1 << 22;
  /// Bytes and steps of a plan's largest kernel below which a launch is not amortised.
  static constexpr int64_t kernel_bytes = 1 << 18, kernel_steps = 1 << 21;
  /// Bytes of a single element, which the host computes faster than a launch.
  static constexpr int64_t element_bytes = 16;
  /// Runs needed before a measurement is used: the first ones also instantiate graphs, compile better programs and
  /// touch memory for the first time. Long runs, of so many seconds, count as all of them.
  static constexpr int enough_runs = 4;
  static constexpr double long_seconds = 1e-3;
  /// Runs of a small plan on the host, one of which is timed.
  static constexpr uint32_t untimed_runs = 64;
  /// The same of any plan that takes less than so long, once its time is known.
  static constexpr uint32_t unmeasured_runs = 8;
  static constexpr double quick_seconds = 1e-4;
  /// Share of the waits for a device that each run on the host instead takes off: after some hundred the device is
  /// tried again, which costs a few per cent where it is ten times slower.
  static constexpr double forgotten_share = 1.0 / 128;
  /// Runs after which the sums that are divided by their number are halved.
  static constexpr int64_t remembered_runs = 64;
  /// Share of the time for opening or compiling, saved so far, from which on that begins in the background.
  static constexpr double early = 1.0 / 16;
  /// Weight of a new time that is longer than the known one; shorter ones replace it.
  static constexpr double weight = 1.0 / 16;
  /// How many times the known time a longer one counts at most: a library that loads code is no measure of what
  /// follows.
  static constexpr double outlier = 4;
  /// Makers of results that are told apart.
  static constexpr size_t most_makers = 1 << 14;
  /// Plans of a loop that are placed together, and runs after which one is forgotten.
  static constexpr size_t most_loop_plans = 16;
  static constexpr int64_t long_ago = 512;
  /// Working sets: the share of the way between both sides at which one first changes to the other, bytes from which on
  /// an array joins the sets of what it is used with, most works of an iteration, and the share of the time spent that
  /// trials of the other side may take.
  static constexpr double patience = 0.25;
  static constexpr int64_t joining_bytes = 1 << 14;
  static constexpr int works_an_iteration = 512;
  static constexpr double trial_share = 1.0 / 20;
  /// Iterations after which work of a settled set may run unweighed, and how often.
  static constexpr int steady_iterations = 8, unweighed_runs = 7;
  /// Working sets that are told apart, and how many times what the model says may be wrong by.
  static constexpr size_t most_sets = 1 << 14;
  static constexpr double most_model_error = 3;
  /// Kernels from which on a plan is replayed as a graph, and what a launch costs in one as a share of one outside.
  static constexpr int64_t replayed_kernels = 4;
  static constexpr double replayed_launch = 0.3;
  /// Bytes of a kernel that stay in a core's caches, and how much faster they are than memory.
  static constexpr int64_t cache_bytes = 1 << 20;
  static constexpr double cache_speed = 8;
  /// Bytes and steps a second of one thread, for machines that were not measured, and operations of a step.
  static constexpr double bytes_a_thread = 8e9, steps_a_thread = 15e9, operations_a_step = 2;
};

}  // namespace tessera::plan
