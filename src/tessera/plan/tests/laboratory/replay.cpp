#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "tessera/base/hash.h"
#include "tessera/plan/tests/laboratory/history.h"
#include "tessera/plan/working_sets.h"

namespace tessera::plan {

namespace {

constexpr int host_bit = 1, device_bit = 2;

double copy(int64_t nbytes, bool to_device, const MachineFacts& facts) {
  return facts.copy_start + static_cast<double>(nbytes) / (to_device ? facts.to_device : facts.to_host) +
         (to_device ? 0 : facts.synchronise);
}

/// What having an array from outside on a side costs.
double entering(const HistoryArray& array, bool on_device, const Truth& truth) {
  if (!array.is_outside) return 0;
  return on_device ? copy(array.nbytes, true, truth.facts) : static_cast<double>(array.nbytes) * truth.host_copy;
}

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
    const double seconds = copy(history_.arrays[static_cast<size_t>(array)].nbytes, on_device, truth_.facts);
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
    known = {.set = sets_.made_by(event.site, made.nbytes), .is_new = true};
    bool there = false;
    if (made.is_outside)
      there =
          sets_.enters_device(known.set, made.nbytes, static_cast<double>(made.nbytes) * laboratory_host_copy, facts_);
    if (there) known.is_new = false;
    places_.of(event.array) = there ? device_bit : host_bit;
    places_.result.seconds += entering(made, there, truth_);
  }
  void work(const Event& event, size_t number) {
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
                                           .in_background = true,
                                           .result_bytes = written},
                                          used, facts_);
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
  const MachineFacts facts_ = laboratory_facts();
  WorkingSets sets_;
  std::vector<State> states_;
  std::map<std::string, std::array<Known, 2>> known_;
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

double seconds_in_hindsight(const History& history, const Truth& truth) {
  // A state has two bits for each live array: on the host, on the device.
  constexpr double never = std::numeric_limits<double>::infinity();
  std::vector<int> slot(history.arrays.size(), -1);
  std::array<bool, most_live + 2> taken{};
  std::vector<double> best(size_t{1} << (2 * taken.size()), never), next = best;
  std::vector<size_t> states{0}, after;
  best[0] = 0;
  const auto part = [](size_t state, int at) { return static_cast<int>(state >> (2 * at) & 3); };
  const auto with = [](size_t state, int at, int bits) {
    return (state & ~(size_t{3} << (2 * at))) | static_cast<size_t>(bits) << (2 * at);
  };
  const auto reach = [&](size_t state, double seconds) {
    if (next[state] == never) after.push_back(state);
    next[state] = std::min(next[state], seconds);
  };
  const auto take = [&](int array) {
    const auto free = std::ranges::find(taken, false);
    *free = true;
    return slot[static_cast<size_t>(array)] = static_cast<int>(free - taken.begin());
  };
  const auto nbytes = [&](int array) { return history.arrays[static_cast<size_t>(array)].nbytes; };
  for (size_t number = 0; number < history.events.size(); ++number) {
    const Event& event = history.events[number];
    if (event.kind == Event::Kind::make) take(event.array);
    for (const int array : event.writes) take(array);
    double run[2] = {0, 0};
    if (event.kind == Event::Kind::run)
      for (const bool there : {false, true}) run[there] = truth.seconds(event, number, there);
    for (const size_t state : states) {
      const double seconds = best[state];
      best[state] = never;
      const int at = event.array < 0 ? -1 : slot[static_cast<size_t>(event.array)];
      switch (event.kind) {
        case Event::Kind::make:
          for (const bool there : {false, true}) {
            const HistoryArray& made = history.arrays[static_cast<size_t>(event.array)];
            if (there && !made.is_outside) continue;
            reach(with(state, at, there ? device_bit : host_bit), seconds + entering(made, there, truth));
          }
          break;
        case Event::Kind::read:
          reach(with(state, at, part(state, at) | host_bit),
                seconds + (part(state, at) & host_bit ? 0 : copy(nbytes(event.array), false, truth.facts)));
          break;
        case Event::Kind::drop: reach(with(state, at, 0), seconds); break;
        case Event::Kind::run:
          for (const bool there : {false, true}) {
            const int bit = there ? device_bit : host_bit;
            size_t to = state;
            double total = seconds + run[there];
            for (const int array : event.reads) {
              const int from = slot[static_cast<size_t>(array)];
              if (!(part(to, from) & bit)) total += copy(nbytes(array), there, truth.facts);
              to = with(to, from, part(to, from) | bit);
            }
            for (const int array : event.writes) to = with(to, slot[static_cast<size_t>(array)], bit);
            reach(to, total);
          }
          break;
      }
    }
    if (event.kind == Event::Kind::drop) taken[static_cast<size_t>(slot[static_cast<size_t>(event.array)])] = false;
    std::swap(best, next);
    states = std::exchange(after, {});
  }
  double least = never;
  for (const size_t state : states) least = std::min(least, best[state]);
  return least;
}

}  // namespace tessera::plan
