#include "tessera/engine/device/tiled/forecast.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "tessera/base/error.h"

namespace tessera::engine {

namespace {

/// What one place would send or receive, in its order: the other end and the bytes of a slot.
struct Planned {
  int32_t slot;
  tile::Range bytes;
  friend bool operator==(const Planned&, const Planned&) = default;
};
using ByPair = std::map<std::pair<int, int>, std::vector<Planned>>;

/// What a place does of a schedule by itself, without looking at what others do.
ByPair messages_of(const tile::Schedule& schedule, int place, bool sent) {
  ByPair own;
  for (const tile::Action& action : schedule.actions) {
    const auto* message = std::get_if<tile::Message>(&action);
    if (!message || message->from == tile::host || (sent ? message->from : message->to) != place) continue;
    own[{message->from, message->to}].push_back({message->slot, message->bytes});
  }
  return own;
}

/// The places that send or receive at all.
std::vector<int> places_of(const tile::Schedule& schedule) {
  std::vector<int> places;
  for (const tile::Action& action : schedule.actions)
    if (const auto* message = std::get_if<tile::Message>(&action); message && message->from != tile::host)
      places.push_back(message->from), places.push_back(message->to);
  std::ranges::sort(places);
  places.erase(std::unique(places.begin(), places.end()), places.end());
  return places;
}

void check_pairs(const tile::Schedule& schedule) {
  ByPair sent, received;
  for (const int place : places_of(schedule)) {
    sent.merge(messages_of(schedule, place, true));
    received.merge(messages_of(schedule, place, false));
  }
  invariant(sent == received, "a message between places has one end only");
}

}  // namespace

std::vector<Forecast::Place> Forecast::follow(const tile::Schedule& schedule, const std::vector<tile::Step>& steps,
                                              ForecastEntry& entry) const {
  std::vector<Place> places(static_cast<size_t>(machine_.places));
  for (const tile::Action& action : schedule.actions) {
    if (const auto* message = std::get_if<tile::Message>(&action)) {
      if (message->from == tile::host) continue;
      const LinkFacts& by = link(message->from, message->to);
      const int64_t nbytes = message->bytes.size();
      for (const int end : {message->from, message->to}) {
        Place& place = places[static_cast<size_t>(end)];
        // Messages of several neighbours are on their way at once: each costs its overhead, all one latency.
        if (place.messages++ == 0) place.sending += by.latency;
        place.sending += by.overhead + static_cast<double>(nbytes) / by.bandwidth;
        place.bytes += nbytes;
      }
      ++entry.messages, entry.bytes += nbytes;
      if (&by == &machine_.between) entry.bytes_between += nbytes;
    } else if (const auto* launch = std::get_if<tile::Launch>(&action)) {
      for (const tile::Access& access : steps[static_cast<size_t>(launch->step)].accesses)
        places[static_cast<size_t>(launch->place)].touched += access.bytes(launch->begin, launch->end).size();
    } else {
      const auto& move = std::get<tile::PartMove>(action);
      const tile::Move& boxes = steps[static_cast<size_t>(move.step)].moves[static_cast<size_t>(move.move)];
      for (const tile::Range& box : boxes.boxes)
        places[static_cast<size_t>(move.place)].touched += 2 * intersect(box, move.bytes).size();
    }
  }
  return places;
}

void Forecast::add(uint64_t key, const std::string& what, const tile::Schedule& schedule,
                   const std::vector<tile::Step>& steps) {
  check_pairs(schedule);
  const auto [at, is_new] = numbers_.try_emplace(key, entries_.size());
  if (is_new) entries_.push_back({.what = what});
  last_ = at->second;
  ForecastEntry& entry = entries_[last_];
  ++entry.runs;
  double slowest = 0;
  int64_t touched = 0;
  for (const Place& place : follow(schedule, steps, entry)) {
    touched += place.touched;
    entry.most_touched = std::max(entry.most_touched, place.touched);
    entry.most_messages = std::max(entry.most_messages, place.messages);
    entry.most_bytes = std::max(entry.most_bytes, place.bytes);
    slowest = std::max(slowest, static_cast<double>(place.touched) / machine_.memory + place.sending);
  }
  entry.touched += touched;
  entry.seconds += slowest;
  entry.ideal += static_cast<double>(touched) / machine_.places / machine_.memory;
}

void Forecast::add_look(int64_t nbytes) {
  if (entries_.empty()) return;
  ForecastEntry& entry = entries_[last_];
  ++entry.looks, entry.look_bytes += nbytes;
  const LinkFacts& by = machine_.places > machine_.per_node ? machine_.between : machine_.within;
  const double rounds = std::ceil(std::log2(std::max(2, machine_.places)));
  entry.seconds += rounds * (by.latency + by.overhead) + static_cast<double>(nbytes) / by.bandwidth;
}

}  // namespace tessera::engine
