/// CostModel: whether a plan runs sooner on the device than on the host, from facts about both and where its operands lie.
#pragma once

#include <cstdint>

namespace tessera::engine {

/// What was measured of a machine; rates a second, times in seconds.
struct MachineFacts {
  double host_bytes = 10e9, host_steps = 15e9;        // memory moved, instructions done on one element each
  double device_bytes = 2e12, device_steps = 5e12;
  double to_device = 10e9, to_host = 10e9;
  double host_start = 1e-6;   // of a plan's kernel
  double launch = 3e-6;       // the same on the device
  double look = 20e-6;        // until the host has the device's answer
  double compile = 20e-3;     // of a kernel the device has not seen, in its lean form
  double open = 0.4;          // of the device's driver
  friend bool operator==(const MachineFacts&, const MachineFacts&) = default;
};

/// What a plan does, wherever it does it.
struct PlanCost {
  double measured = 0;       // seconds its quickest run on the host took; 0: not known
  int64_t bytes = 0;         // moved by kernels that move more than a cache holds
  int64_t cached_bytes = 0;  // by the others
  int64_t steps = 0;
  int64_t kernels = 0;
  int64_t most_bytes = 0, most_steps = 0;  // of one kernel

  void add_kernel(int64_t moved, int64_t done);
  /// No kernel has enough to do to be worth a launch.
  bool is_small() const { return most_bytes < 1 << 18 && most_steps < 1 << 21; }
};

/// Bytes that would have to be copied to run it on either side.
struct Residence {
  int64_t only_on_host = 0;
  int64_t only_on_device = 0;
  int64_t looked_at = 0;  // bytes of results that the host will want
};

/// A plan's own history: the time it would have saved on the device so far.
struct Regret {
  double seconds = 0;
};

double host_seconds(const PlanCost& cost, const MachineFacts& facts);
double device_seconds(const PlanCost& cost, const MachineFacts& facts);

/// Whether the device is faster although all of the plan's bytes cross the bus, in one direction or the other, each time.
bool repays_the_bus(const PlanCost& cost, int64_t nbytes, const MachineFacts& facts);

enum class Choice : uint8_t { host, get_ready, device };

/// Whether this run goes to the device. Moving operands there and what takes `making` seconds, such as compiling, repays itself
/// either in this run or, for a plan that repeats, once the runs so far would have saved as much: at most twice the time of the
/// better choice is spent. What is made beside the program costs it nothing, so that begins earlier.
/// No run waits for that as long as it `is_beside`, but one that would repay it alone, and those whose operands are on the device
/// and have gone home and back for as long as it takes.
Choice choose_device(const PlanCost& cost, const Residence& residence, double making, bool is_beside, const MachineFacts& facts, Regret& regret);

}  // namespace tessera::engine
