#include "tessera/engine/device/tiled/forecast.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "tessera/base/error.h"

namespace tessera::engine {

namespace {

int64_t size_of(const tile::Ranges& ranges) {
  int64_t size = 0;
  for (const tile::Range& range : ranges.list()) size += range.size();
  return size;
}

/// What goes through memory for these lanes: bytes that several of them read, or one reads several times, go once.
int64_t touched_by(const tile::Step& step, int64_t begin, int64_t end) {
  std::map<std::pair<int32_t, bool>, tile::Ranges> parts;  // by slot, and whether it is written
  for (const tile::Access& access : step.accesses)
    if (const tile::Range bytes = access.bytes(begin, end); !bytes.empty())
      parts[{access.slot, access.writes}].add(bytes);
  int64_t touched = 0;
  for (const auto& [slot, ranges] : parts) touched += size_of(ranges);
  return touched;
}

}  // namespace

ForecastRun::ForecastRun(const MachineOfPlaces& machine, ForecastEntry& entry)
    : machine_(machine), entry_(entry), places_(static_cast<size_t>(machine.places)) {}

void ForecastRun::compute(int place, int64_t bytes, double operations) {
  Place& at = places_[static_cast<size_t>(place)];
  at.touched += bytes;
  at.computing += machine_.launch + static_cast<double>(bytes) / machine_.memory + operations / machine_.operations;
  at.exchanges = false;
}

void ForecastRun::send(int from, int to, int64_t bytes) {
  const auto is_there = [&](int place) { return place >= 0 && place < machine_.places; };
  invariant(is_there(from) && is_there(to) && from != to, "a message between places has one end only");
  const LinkFacts& by = link(from, to);
  for (const int end : {from, to}) {
    Place& place = places_[static_cast<size_t>(end)];
    // Messages of several neighbours are on their way at once: each costs its overhead, all one latency.
    if (!place.exchanges) place.exchanging += by.latency;
    place.exchanges = true;
    place.exchanging += by.overhead + static_cast<double>(bytes) / by.bandwidth;
    ++place.messages, place.bytes += bytes;
  }
  ++entry_.messages, entry_.bytes += bytes;
  if (&by == &machine_.between) entry_.bytes_between += bytes;
}

void ForecastRun::finish(int64_t alone, int64_t launches, double operations) {
  ++entry_.runs;
  Place slowest;
  std::set<std::tuple<int64_t, int64_t, int64_t>> kinds;
  const auto seconds = [](const Place& place) { return place.computing + place.exchanging; };
  for (const Place& place : places_) {
    entry_.touched += place.touched;
    entry_.most_touched = std::max(entry_.most_touched, place.touched);
    entry_.most_messages = std::max(entry_.most_messages, place.messages);
    entry_.most_bytes = std::max(entry_.most_bytes, place.bytes);
    kinds.emplace(place.touched, place.messages, place.bytes);
    if (seconds(place) > seconds(slowest)) slowest = place;
  }
  entry_.kinds = std::max(entry_.kinds, static_cast<int>(kinds.size()));
  entry_.computing += slowest.computing;
  entry_.exchanging += slowest.exchanging;
  entry_.seconds += seconds(slowest);
  entry_.ideal += (static_cast<double>(alone) / machine_.memory + operations / machine_.operations) / machine_.places +
                  static_cast<double>(launches) * machine_.launch;
}

ForecastRun Forecast::begin(uint64_t key, const std::string& what) {
  const auto [at, is_new] = numbers_.try_emplace(key, entries_.size());
  if (is_new) entries_.push_back({.what = what});
  last_ = at->second;
  return {machine_, entries_[last_]};
}

void Forecast::add(uint64_t key, const std::string& what, const tile::Schedule& schedule,
                   const std::vector<tile::Step>& steps) {
  ForecastRun run = begin(key, what);
  for (const tile::Action& action : schedule.actions) {
    if (const auto* message = std::get_if<tile::Message>(&action)) {
      if (message->from != tile::host) run.send(message->from, message->to, message->bytes.size());
    } else if (const auto* launch = std::get_if<tile::Launch>(&action)) {
      run.compute(launch->place, touched_by(steps[static_cast<size_t>(launch->step)], launch->begin, launch->end));
    } else {
      const auto& move = std::get<tile::PartMove>(action);
      int64_t touched = 0;
      for (const tile::Range& box : steps[static_cast<size_t>(move.step)].moves[static_cast<size_t>(move.move)].boxes)
        touched += 2 * intersect(box, move.bytes).size();
      run.compute(move.place, touched);
    }
  }
  int64_t alone = 0, launches = 0;
  for (const tile::Step& step : steps) {
    alone += touched_by(step, 0, step.lanes);
    for (const tile::Move& move : step.moves)
      for (const tile::Range& box : move.boxes) alone += 2 * box.size();
    launches += static_cast<int64_t>(step.moves.size()) + (step.lanes > 0 ? 1 : 0);
  }
  run.finish(alone, launches);
}

void Forecast::add_look(int64_t nbytes) {
  if (entries_.empty()) return;
  ForecastEntry& entry = entries_[last_];
  ++entry.looks, entry.look_bytes += nbytes;
  const LinkFacts& by = machine_.places > machine_.per_node ? machine_.between : machine_.within;
  const double rounds = std::ceil(std::log2(std::max(2, machine_.places)));
  const double seconds = rounds * (by.latency + by.overhead) + static_cast<double>(nbytes) / by.bandwidth;
  entry.seconds += seconds, entry.exchanging += seconds;
}

}  // namespace tessera::engine
