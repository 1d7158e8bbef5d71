/// History: what a program did, as placement sees it, with what it costs on either side; as text, too.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tessera/plan/cost_model.h"

namespace tessera::plan {

struct HistoryArray {
  std::string name;
  int64_t nbytes = 0;
  bool is_outside = false;  // its elements are copied from memory of others
};

struct Event {
  enum class Kind : uint8_t { make, run, read, drop };
  Kind kind = Kind::run;
  int array = -1;                       // of make, read and drop
  uint64_t site = 0;                    // of make
  std::string work;                     // of run
  double host = 0, device = 0;          // seconds by the model, operands in place
  double ran_host = 0, ran_device = 0;  // what it took where it was recorded; 0: it did not run there
  std::vector<int> reads, writes;
};

struct History {
  std::string name;
  std::vector<HistoryArray> arrays;
  std::vector<Event> events;
  int iterations = 1;                 // of its longest loop
  std::optional<MachineFacts> facts;  // of the machine where it was recorded
};

/// One event a line: `make a0 8000000 outside site=1`, `run w0 host=1e-3 device=1e-5 reads=a0,a1 writes=a2`, `read a2`,
/// `drop a2`. `work w0 host=1e-3 device=1e-5 ran_host=2e-3` has the costs of runs that name none, `facts
/// to_device=5e10` those of the machine, and the lines between `repeat 20` and `end` are there as often. Throws
/// ValueError with the line of what it cannot read.
History parse_history(const std::string& text, const std::string& name);
std::string print_history(const History& history);

/// A program made of loops, calls and phases; the same for the same seed. At most `most_live` arrays at a time.
History random_history(uint64_t seed);
constexpr int most_live = 5;

/// How the machine that runs a history differs from the model.
struct Truth {
  MachineFacts facts;
  double host_copy = 0;  // seconds a byte of copies from outside on the host
  uint64_t seed = 0;
  double most = 3;     // times that costs of work differ, by work
  double noise = 0.2;  // of each run
  /// Seconds of the event's run, without copies.
  double seconds(const Event& event, size_t number, bool on_device) const;
};
MachineFacts laboratory_facts();
constexpr double laboratory_host_copy = 1 / 25e9;
Truth random_truth(uint64_t seed);

/// The truth of a recorded history: its machine and what was measured there, with noise; what did not run on a side
/// costs there what the model says, up to three times more or less.
Truth recorded_truth(const History& history, uint64_t seed);

/// The least seconds in which the history can be run, by dynamic programming over where its arrays are; of histories
/// with more than `most_live` arrays at a time the least that was found among the most promising states.
double seconds_in_hindsight(const History& history, const Truth& truth);

struct Replayed {
  double seconds = 0;
  int moves = 0;  // copies of arrays that work needed on its side
  double longest_move = 0;
};
/// What the working sets decide, one event after the other, and what that costs on the virtual clock.
/// `making`: seconds until the device has a kernel, from when it is asked for; that is done in the background.
Replayed replay(const History& history, const Truth& truth, double making = 0);
/// All work on one side that can be.
double seconds_on_one_side(const History& history, const Truth& truth, bool on_device);

}  // namespace tessera::plan
