// The best in hindsight: dynamic programming over where each live array is.
#include <algorithm>
#include <array>
#include <bitset>
#include <limits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tessera/plan/tests/laboratory/costs.h"
#include "tessera/plan/tests/laboratory/history.h"

namespace tessera::plan {

namespace {

constexpr size_t most_slots = most_live + 2;

/// How many arrays are live at most.
size_t count_live(const History& history) {
  size_t live = 0, most = 0;
  for (const Event& event : history.events) {
    live += event.writes.size() + (event.kind == Event::Kind::make);
    most = std::max(most, live);
    live -= event.kind == Event::Kind::drop;
  }
  return most;
}

/// Every state there is.
double least_of_all(const History& history, const Truth& truth) {
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
                seconds + (part(state, at) & host_bit ? 0 : copy_seconds(nbytes(event.array), false, truth.facts)));
          break;
        case Event::Kind::drop: reach(with(state, at, 0), seconds); break;
        case Event::Kind::run:
          for (const bool there : {false, true}) {
            const int bit = there ? device_bit : host_bit;
            size_t to = state;
            double total = seconds + run[there];
            for (const int array : event.reads) {
              const int from = slot[static_cast<size_t>(array)];
              if (!(part(to, from) & bit)) total += copy_seconds(nbytes(array), there, truth.facts);
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

/// The most promising states, where there are too many. A state has two bits for each slot.
class Beam {
 public:
  Beam(const History& history, const Truth& truth) : history_(history), truth_(truth), slot_(history.arrays.size(), 0) {
    for (size_t k = slots; k-- > 0;) free_.push_back(k);
    states_[{}] = 0;
  }
  double run() {
    for (size_t number = 0; number < history_.events.size(); ++number) step(history_.events[number], number);
    double least = std::numeric_limits<double>::infinity();
    for (const auto& [state, seconds] : states_) least = std::min(least, seconds);
    return least;
  }

 private:
  static constexpr size_t slots = 128, width = 256;
  using Places = std::bitset<2 * slots>;

  const HistoryArray& array(int number) const { return history_.arrays[static_cast<size_t>(number)]; }
  size_t bit(int number, bool on_device) const { return 2 * slot_[static_cast<size_t>(number)] + on_device; }
  void take(int number) {
    slot_[static_cast<size_t>(number)] = free_.back();
    free_.pop_back();
  }
  void reach(const Places& state, double seconds) {
    const auto [at, fresh] = next_.try_emplace(state, seconds);
    if (!fresh) at->second = std::min(at->second, seconds);
  }
  void step(const Event& event, size_t number) {
    if (event.kind == Event::Kind::make) take(event.array);
    for (const int each : event.writes) take(each);
    for (const auto& [state, seconds] : states_) {
      switch (event.kind) {
        case Event::Kind::make:
          for (const bool there : {false, true})
            if (!there || array(event.array).is_outside)
              reach(Places(state).set(bit(event.array, there)), seconds + entering(array(event.array), there, truth_));
          break;
        case Event::Kind::read: {
          const bool is_there = state[bit(event.array, false)];
          reach(Places(state).set(bit(event.array, false)),
                seconds + (is_there ? 0 : copy_seconds(array(event.array).nbytes, false, truth_.facts)));
          break;
        }
        case Event::Kind::drop:
          reach(Places(state).reset(bit(event.array, false)).reset(bit(event.array, true)), seconds);
          break;
        case Event::Kind::run:
          for (const bool there : {false, true}) work(event, number, there, state, seconds);
          break;
      }
    }
    if (event.kind == Event::Kind::drop) free_.push_back(slot_[static_cast<size_t>(event.array)]);
    keep_best();
  }
  void work(const Event& event, size_t number, bool there, Places state, double seconds) {
    seconds += truth_.seconds(event, number, there);
    for (const int each : event.reads) {
      if (!state[bit(each, there)]) seconds += copy_seconds(array(each).nbytes, there, truth_.facts);
      state.set(bit(each, there));
    }
    for (const int each : event.writes) state.set(bit(each, there));
    reach(state, seconds);
  }
  void keep_best() {
    states_ = std::exchange(next_, {});
    if (states_.size() <= width) return;
    std::vector<double> costs;
    for (const auto& [state, seconds] : states_) costs.push_back(seconds);
    std::nth_element(costs.begin(), costs.begin() + width, costs.end());
    std::erase_if(states_, [&](const auto& state) { return state.second > costs[width]; });
    while (states_.size() > 2 * width) states_.erase(states_.begin());  // of equal ones
  }

  const History& history_;
  const Truth& truth_;
  std::vector<size_t> slot_, free_;
  std::unordered_map<Places, double> states_, next_;
};

}  // namespace

double seconds_in_hindsight(const History& history, const Truth& truth) {
  if (count_live(history) <= most_slots) return least_of_all(history, truth);
  return std::min({Beam(history, truth).run(), seconds_on_one_side(history, truth, false),
                   seconds_on_one_side(history, truth, true)});
}

}  // namespace tessera::plan
