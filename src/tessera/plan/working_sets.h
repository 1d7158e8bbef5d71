/// WorkingSets: on which side work runs. For each set of arrays that are used together it keeps the least cost of
/// having ended on either side, and goes where that says.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "tessera/base/small_vector.h"
#include "tessera/plan/cost_model.h"

namespace tessera::plan {

/// An array that work uses.
struct UsedArray {
  int64_t nbytes = 0;
  const void* identity = nullptr;  // the same whenever it is used
  uint32_t set = 0;                // its working set; 0: none yet
  bool is_new = false;             // the host made it, and no work used it yet
  bool is_on_host = true, is_on_device = false;
  bool is_on_other_device = false;  // it has to be copied from there
};

/// What work costs on either side.
struct WorkCosts {
  uint64_t key = 0;                         // the same for each repetition
  double host = 0, device = 0;              // seconds with the operands in place
  double host_error = 1, device_error = 1;  // factors by which they may be wrong
  double making = 0;                        // seconds until the device has what it lacks for this work
  int times = 1;                            // that it ran since it was weighed, this one included
  bool in_background = false;               // that is made in the background
  int64_t result_bytes = 0;
};

/// What was weighed, in seconds, for a trace.
struct Reasons {
  double host = 0, device = 0;        // of the work, operands in place
  double to_device = 0, to_host = 0;  // copies of its operands
  double lead = 0, moving = 0;        // of its working set
  double making = 0;
  bool on_device = false, is_trial = false;  // where its working set is
};
/// The costs beside host and device time, in microseconds.
std::string describe(const Reasons& reasons);

struct Placement {
  bool on_device = false;
  bool gets_ready = false;  // what the device lacks is worth making in the background
  uint32_t set = 0;         // of the operands and results
  int repeats = 0;          // how often the same work on arrays of this set, all there, may run there unweighed
  Reasons reasons;
};

class WorkingSets {
 public:
  /// The set of the arrays of one size that one line of the program makes; never 0.
  uint32_t made_by(uint64_t site, int64_t nbytes);
  /// Where the work runs. Arrays that it uses together share a set from then on.
  Placement choose(const WorkCosts& work, std::span<const UsedArray> operands, const MachineFacts& facts);
  /// Elements come from outside: whether they go to the device at once. `host_copy`: seconds to copy them on the host.
  bool enters_device(uint32_t set, int64_t nbytes, double host_copy, const MachineFacts& facts);
  /// The host waits for a result and reads it.
  void note_read(uint32_t set, int64_t nbytes, const MachineFacts& facts);
  /// What runs on the device of a set took so much longer than was expected.
  void note_delay(uint32_t set, double seconds);
  /// How many sets are kept.
  size_t size() const { return sets_.size(); }

 private:
  struct Set {
    uint32_t joined = 0;     // with this one; 0: it is one of its own
    bool on_device = false;  // where its work runs
    double lead = 0;         // least cost of having ended on the host, less that of having ended on the device
    double patience = 0;     // share of the way between the two at which it changes sides
    // This iteration and the last one; one ends where work repeats.
    uint64_t first_key = 0;
    int works = 0, iterations = 0;
    int64_t bytes = 0, last_bytes = 0;    // of arrays that would have to be copied for the other side
    SmallVector<const void*, 8> counted;  // of them the first
    struct Costs {
      double host = 0, device = 0;  // on either side
      double unsure = 0;            // how much less it may be on the other one
      double against = 0;           // what speaks for the other side
    } costs;
    double last_against = 0;
    // Trials of the other side.
    double spent = 0;     // since the last one
    double compared = 0;  // what an iteration cost before this one
    int trials = 0;
    bool is_trial = false, wants_trial = false;
    bool is_unready = false;  // the device lacks something for work of this iteration
    double missed = 0;        // seconds that it would have saved since it was ready last
  };

  Set& of(uint32_t& number);
  void limit_sets();
  uint32_t new_set();
  uint32_t join(std::span<const UsedArray> operands);
  static double moving(const Set& set, const MachineFacts& facts);
  static double moving_back(const Set& set, const MachineFacts& facts);
  static void count(Set& set, const UsedArray& array);
  static void end_iteration(Set& set, const MachineFacts& facts);
  /// The leads from which on a set changes sides.
  struct Ends {
    double to_host = 0, to_device = 0;
  };
  static Ends ends_of(const Set& set, const MachineFacts& facts);
  static void settle(Set& set, const MachineFacts& facts);
  static void charge(Set& set, double lead);
  static bool is_steady(const Set& set, const MachineFacts& facts);

  std::vector<Set> sets_{1};
  std::unordered_map<uint64_t, uint32_t> made_by_;
};

}  // namespace tessera::plan
