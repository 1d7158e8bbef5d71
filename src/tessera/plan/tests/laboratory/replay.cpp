#include <algorithm>
#include <array>
#include <map>
#include <utility>
#include <vector>

#include "tessera/base/hash.h"
#include "tessera/plan/tests/laboratory/costs.h"
#include "tessera/plan/tests/laboratory/history.h"
#include "tessera/plan/working_sets.h"

namespace tessera::plan {

namespace {

/// Where each live array is valid, and what it costs to have it elsewhere, too.
class Places {
 public:
  explicit Places(const History& history, const Truth& truth)
      : history_(history), truth_(truth), at_(history.arrays.size()) {}
  int& of(int array) { return at_[static_cast<size_t>(array)]; }
  Replayed result;

  void have(int array, bool on_device) {
    int& at = of(array);
    const int bit = on_device ? device_bit : host_bit;
    if (at & bit) return;
    at |= bit;
    const double seconds = copy_seconds(history_.arrays[static_cast<size_t>(array)].nbytes, on_device, truth_.facts);
    result.seconds += seconds, ++result.moves;
    result.longest_move = std::max(result.longest_move, seconds);
  }
  void run(const Event& event, size_t number, bool on_device) {
    for (const int array : event.reads) have(array, on_device);
    result.seconds += truth_.seconds(event, number, on_device);
    for (const int array : event.writes) of(array) = on_device ? device_bit : host_bit;
  }

 private:
  const History& history_;
  const Truth& truth_;
  std::vector<int> at_;
};

/// What is known of the costs of one piece of work on one side.
struct Known {
  double seconds = 0;
  int runs = 0;
  void note(double seen) {
    ++runs;
    seconds = runs == 1 || seen < seconds ? seen : seconds + (std::min(seen, 4 * seconds) - seconds) / 16;
  }
};

class Replay {
 public:
  Replay(const History& history, const Truth& truth, double making)
      : making_(making), history_(history), places_(history, truth), truth_(truth), states_(history.arrays.size()) {}

  Replayed run() {
    for (size_t number = 0; number < history_.events.size(); ++number) {
      const Event& event = history_.events[number];
      switch (event.kind) {
        case Event::Kind::make: make(event); break;
        case Event::Kind::run: work(event, number); break;
        case Event::Kind::read: read(event.array); break;
        case Event::Kind::drop: break;
      }
    }
    return places_.result;
  }

 private:
  struct State {
    uint32_t set = 0;
    bool is_new = false;
  };
  bool is_ready(const std::string& work) const {
    const auto found = ready_at_.find(work);
    return making_ == 0 || (found != ready_at_.end() && places_.result.seconds >= found->second);
  }
  /// In the background.
  void make_ready(const std::string& work) { ready_at_.try_emplace(work, places_.result.seconds + making_); }
  State& state(int array) { return states_[static_cast<size_t>(array)]; }
  const HistoryArray& array(int number) const { return history_.arrays[static_cast<size_t>(number)]; }

  void make(const Event& event) {
    const HistoryArray& made = array(event.array);
    State& known = state(event.array);
    known = {.set = event.site ? sets_.made_by(event.site, made.nbytes) : 0, .is_new = true};
    bool there = false;
    if (made.is_outside && known.set)
      there = sets_.enters_device(known.set, made.nbytes, static_cast<double>(made.nbytes) * host_copy_, facts_);
    if (there) known.is_new = false;
    places_.of(event.array) = there ? device_bit : host_bit;
    places_.result.seconds += entering(made, there, truth_);
  }
  /// Work that was weighed and may run some more times where it ran, on arrays of its set that are there.
  struct Repeated {
    Placement last;
    int left = 0, passed = 0;
  };
  bool may_repeat(const Event& event, const Repeated& repeated) {
    const int bit = repeated.last.on_device ? device_bit : host_bit;
    return repeated.left > 0 && std::ranges::all_of(event.reads, [&](int each) {
             return state(each).set == repeated.last.set && !state(each).is_new && (places_.of(each) & bit);
           });
  }
  void work(const Event& event, size_t number) {
    Repeated& repeated = repeated_[event.work];
    if (may_repeat(event, repeated)) {
      --repeated.left, ++repeated.passed;
      for (const int each : event.writes) state(each) = {repeated.last.set, false};
      return places_.run(event, number, repeated.last.on_device);
    }
    std::array<Known, 2>& known = known_[event.work];
    std::vector<UsedArray> used;
    int64_t written = 0;
    for (const int each : event.reads)
      used.push_back({array(each).nbytes, &state(each), state(each).set, state(each).is_new,
                      (places_.of(each) & host_bit) != 0, (places_.of(each) & device_bit) != 0});
    for (const int each : event.writes) written += array(each).nbytes;
    const auto cost = [&](bool on_device) {
      return known[on_device].runs ? known[on_device].seconds : on_device ? event.device : event.host;
    };
    // A first run may be an outlier.
    const auto error = [&](bool on_device) {
      const int runs = known[on_device].runs;
      return runs >= 4 ? 1.0 : 1 + (truth_.most - 1) / (1 + runs);
    };
    const Placement placed = sets_.choose({.key = Hash().add(std::string_view(event.work)).value(),
                                           .host = cost(false),
                                           .device = cost(true),
                                           .host_error = error(false),
                                           .device_error = error(true),
                                           .making = is_ready(event.work) ? 0 : making_,
                                           .times = 1 + repeated.passed,
                                           .in_background = true,
                                           .result_bytes = written},
                                          used, facts_);
    repeated = {.last = placed, .left = placed.repeats};
    if (placed.gets_ready || placed.on_device) make_ready(event.work);
    if (placed.on_device)
      places_.result.seconds = std::max(places_.result.seconds, ready_at_[event.work] * (making_ > 0));
    for (const int each : event.reads) state(each) = {placed.set, false};
    for (const int each : event.writes) state(each) = {placed.set, false};
    places_.run(event, number, placed.on_device);
    known[placed.on_device].note(truth_.seconds(event, number, placed.on_device));
  }
  void read(int each) {
    sets_.note_read(state(each).set, array(each).nbytes, facts_);
    places_.have(each, false);
  }

  const double making_;
  std::map<std::string, double> ready_at_;
  const History& history_;
  Places places_;
  const Truth& truth_;
  const MachineFacts facts_ = history_.facts.value_or(laboratory_facts());
  const double host_copy_ = history_.facts ? 1 / facts_.first_touch : laboratory_host_copy;
  WorkingSets sets_;
  std::vector<State> states_;
  std::map<std::string, std::array<Known, 2>> known_;
  std::map<std::string, Repeated> repeated_;
};

}  // namespace

Replayed replay(const History& history, const Truth& truth, double making) {
  return Replay(history, truth, making).run();
}

double seconds_on_one_side(const History& history, const Truth& truth, bool on_device) {
  Places places(history, truth);
  for (size_t number = 0; number < history.events.size(); ++number) {
    const Event& event = history.events[number];
    if (event.kind == Event::Kind::make) {
      const HistoryArray& made = history.arrays[static_cast<size_t>(event.array)];
      places.of(event.array) = made.is_outside && on_device ? device_bit : host_bit;
      places.result.seconds += entering(made, on_device, truth);
    }
    if (event.kind == Event::Kind::run) places.run(event, number, on_device);
    if (event.kind == Event::Kind::read) places.have(event.array, false);
  }
  return places.result.seconds;
}

}  // namespace tessera::plan
