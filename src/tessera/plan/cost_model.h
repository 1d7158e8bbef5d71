/// CostModel: how long work takes on the host and on a device, from measured rates of both.
#pragma once

#include <cstdint>

#include "tessera/ops/cost.h"
#include "tessera/plan/placement_limits.h"

namespace tessera::plan {

/// Measured properties of a machine; rates per second, times in seconds.
struct MachineFacts {
  double host_bytes = 10e9, host_steps = 15e9;  // bytes of memory, one-element instructions
  double device_bytes = 2e12, device_steps = 5e12;
  double to_device = 10e9, to_host = 10e9, between_devices = 50e9;
  double first_touch = 25e9;   // bytes of host memory that is used for the first time and copied to
  double host_start = 1e-6;    // start of a plan's kernel
  double wake = 5e-6;          // of all threads, for a kernel that is large enough
  double launch = 3e-6;        // start of a kernel on the device
  double synchronise = 20e-6;  // until the host has the device's result
  double copy_start = 10e-6;   // of a copy to or from the device, in addition to its bytes
  double compile = 20e-3;      // of a kernel that is new to the device, as fast-compile variant
  double open = 0.4;           // opening the device's driver
  friend bool operator==(const MachineFacts&, const MachineFacts&) = default;
};

/// The work of a plan, wherever it runs.
struct PlanCost {
  double measured = 0;       // seconds of a run on the host, measured; 0: unknown
  int host_runs = 0;         // number of runs behind measured, see runs_known()
  double queued = 0;         // seconds the host takes to queue it on the device, measured; 0: unknown
  int queued_runs = 0;       // number of runs behind queued
  double waited = 0;         // seconds that the host waited for the device because of a run
  int64_t device_runs = 0;   // number of runs behind waited
  int64_t bytes = 0;         // by kernels that move more bytes than fit in a cache
  int64_t cached_bytes = 0;  // by the other kernels
  int64_t steps = 0;
  int64_t kernels = 0, large_kernels = 0;  // large: do not fit in a cache
  int64_t most_bytes = 0, most_steps = 0;  // of a single kernel
  int64_t result_bytes = 0;                // of what outlives the plan

  void add_kernel(int64_t moved, int64_t done);
  /// No kernel does enough work to amortise a launch.
  bool is_small() const {
    return most_bytes < PlacementLimits::kernel_bytes && most_steps < PlacementLimits::kernel_steps;
  }
};

/// How many runs one of this duration counts as: in long runs the one-time work of first runs is negligible.
int runs_known(double seconds);

/// How many times a time that so many runs are behind may be wrong by: that of no run is the model's.
double error_after(int runs);

/// The work of a call of a routine or a library, wherever it runs.
using CallCost = ops::Cost;

double host_seconds(const PlanCost& cost, const MachineFacts& facts);
double device_seconds(const PlanCost& cost, const MachineFacts& facts);
double host_seconds(const CallCost& cost);
/// The cost with so many threads of the host instead of one, of which each further one helps less.
CallCost on_threads(CallCost cost, int threads);
double device_seconds(const CallCost& cost, const MachineFacts& facts);

/// Whether the device is faster even if all of the plan's bytes cross the bus, in one direction or the other, on each
/// run.
bool repays_the_bus(const PlanCost& cost, int64_t nbytes, const MachineFacts& facts);

}  // namespace tessera::plan
