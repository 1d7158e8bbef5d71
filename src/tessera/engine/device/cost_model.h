/// CostModel: whether an operation belongs on the device or on the host, from facts about both and what its operands
/// have earned.
#pragma once

#include <cstdint>
#include <string_view>

namespace tessera::engine {

/// What was measured of a machine; rates a second, times in seconds.
struct MachineFacts {
  double host_bytes = 10e9, host_steps = 15e9;  // memory moved, instructions done on one element each
  double device_bytes = 2e12, device_steps = 5e12;
  double to_device = 10e9, to_host = 10e9;
  double host_start = 1e-6;    // of a plan's kernel
  double launch = 3e-6;        // the same on the device
  double synchronise = 20e-6;  // until the host has the device's answer
  double copy_start = 10e-6;   // of a copy to or from the device, whatever its size
  double compile = 20e-3;      // of a kernel the device has not seen, in its lean form
  double open = 0.4;           // of the device's driver
  friend bool operator==(const MachineFacts&, const MachineFacts&) = default;
};

/// What a plan does, wherever it does it.
struct PlanCost {
  double measured = 0;       // seconds that runs on the host took; 0: not known
  int host_runs = 0;         // of which that is known, see runs_known()
  double queued = 0;         // seconds that queueing it on the device took the host; 0: not known
  int queued_runs = 0;       // of which that is known
  double waited = 0;         // seconds that the host waited for the device on account of a run
  int64_t device_runs = 0;   // of which that is known
  int64_t bytes = 0;         // moved by kernels that move more than a cache holds
  int64_t cached_bytes = 0;  // by the others
  int64_t steps = 0;
  int64_t kernels = 0;
  int64_t most_bytes = 0, most_steps = 0;  // of one kernel

  void add_kernel(int64_t moved, int64_t done);
  /// No kernel has enough to do to be worth a launch.
  bool is_small() const { return most_bytes < 1 << 18 && most_steps < 1 << 21; }
};

/// What the first runs take says little: graphs and better programs are made, memory is touched for the first time.
constexpr int enough_runs = 4;
/// As how many runs one that took so long counts: nothing that only first runs do takes a large part of long ones.
int runs_known(double seconds);

/// What a call of a routine or a library does, wherever it does it.
struct CallCost {
  std::string_view op;           // whose speed on the host is learned
  double host_steps = 0;         // of one thread, a nanosecond each: a first guess
  double device_bytes = 0;       // through the device's memory
  double device_operations = 0;  // arithmetic of matrix products and factorisations
  int launches = 1;
  int synchronisations = 0;  // at what the device found out before it can go on
  double making = 30e-3;  // seconds that the first call on a device takes longer: kernels to compile, a library to open
};

/// The history of what repeats: the time it would have saved on the device so far.
struct Regret {
  double seconds = 0;
};

double host_seconds(const PlanCost& cost, const MachineFacts& facts);
double device_seconds(const PlanCost& cost, const MachineFacts& facts);
double host_seconds(const CallCost& cost);
double device_seconds(const CallCost& cost, const MachineFacts& facts);

/// Whether the device is faster although all of the plan's bytes cross the bus, in one direction or the other, each
/// time.
bool repays_the_bus(const PlanCost& cost, int64_t nbytes, const MachineFacts& facts);

/// What there is to weigh, in seconds.
struct Question {
  double saving = 0;    // of the device over the host once operands are where they are wanted; may be negative
  double moving = 0;    // operands that only the host has to the device
  double credit = 0;    // what the device would have saved their users before
  double expected = 0;  // what it saves the users of arrays like them in all, this use included
  double homing = 0;    // operands that only the device has to the host
  double debt = 0;      // what the host would have saved their users before
  double making = 0;    // what the device does not have yet: kernels, a library, an open driver
  bool in_background =
      false;  // that is made beside the program, so it costs the program nothing but that it begins later
};

/// Whether the device is the better place by what is weighed, but for what is to be made first.
bool covers_moving(const Question& question);

enum class Choice : uint8_t { host, get_ready, device };

/// Whether this run goes to the device. Operands move when what they have earned covers that: an operation that repays
/// it alone moves them at once, and at most twice the time of the better choice is spent. What is to be made first
/// repays itself either in this run or, for what repeats, once the runs so far would have saved as much. No run waits
/// for what is made `is_beside` but one that would repay it alone, and those whose operands are on the device and have
/// gone home and back for as long as it takes.
Choice choose_device(const Question& question, Regret& regret);

}  // namespace tessera::engine
