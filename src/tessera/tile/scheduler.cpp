#include "tessera/tile/scheduler.h"

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "tessera/tile/cut.h"

namespace tessera::tile {

Scheduler::Scheduler(const std::vector<SlotState>& slots, int places)
    : states_(slots), indices_(slots.size()), places_(places) {
  for (SlotState& state : states_) {
    state.valid.resize(each());
    if (state.is_anywhere) state.valid.assign(each(), Ranges({0, state.nbytes}));
    result_.slots.push_back({.held = std::vector<Range>(each())});
  }
}

void Scheduler::add(int32_t number, const Step& step) {
  for (size_t move = 0; move < step.moves.size(); ++move)
    add_move(number, static_cast<int32_t>(move), step.moves[move]);
  if (step.lanes > 0) add_lanes(number, step);
}

Schedule Scheduler::take() {
  for (size_t slot = 0; slot < states_.size(); ++slot) {
    result_.slots[slot].owned = std::move(states_[slot].owned);
    result_.slots[slot].valid = std::move(states_[slot].valid);
  }
  return std::move(result_);
}

void Scheduler::touch(int32_t slot, int place, const Range& bytes) {
  Range& held = result_.slots[static_cast<size_t>(slot)].held[static_cast<size_t>(place)];
  held = hull(held, bytes);
}

void Scheduler::send(int32_t slot, int from, int to, const Range& bytes) {
  result_.actions.emplace_back(Message{slot, from, to, bytes});
  if (from != host && !(state(slot).is_temporary && state(slot).nbytes <= meeting_)) sent_ += bytes.size();
}

/// The places that own something, in the order of the slot's bytes.
const std::vector<int>& Scheduler::owners_in_order(int32_t slot) {
  std::optional<std::vector<int>>& known = indices_[static_cast<size_t>(slot)].owners;
  if (known) return *known;
  const std::vector<Range>& owned = state(slot).owned;
  known.emplace();
  for (size_t place = 0; place < owned.size(); ++place)
    if (!owned[place].empty()) known->push_back(static_cast<int>(place));
  std::ranges::sort(*known, {}, [&](int place) { return owned[static_cast<size_t>(place)].begin; });
  return *known;
}

/// What is valid at one place at least; nothing becomes so but by a write.
const Ranges& Scheduler::valid_anywhere(int32_t slot) {
  std::optional<Ranges>& known = indices_[static_cast<size_t>(slot)].valid;
  if (!known) known = join(state(slot).valid);
  return *known;
}

/// What the place lacks of these bytes, and the other one has.
void Scheduler::bring_from(int32_t slot, int other, int place, const Range& bytes) {
  Ranges& here = state(slot).valid[static_cast<size_t>(place)];
  for (const Range& missing : here.without(bytes))
    for (const Range& part : state(slot).valid[static_cast<size_t>(other)].within(missing)) {
      send(slot, other, place, part);
      touch(slot, other, part);
      here.add(part);
    }
}

/// What the place lacks of these bytes comes from their owners, else from any place that has them, else from the
/// host.
void Scheduler::require(int32_t slot, int place, const Range& bytes) {
  touch(slot, place, bytes);
  SlotState& of = state(slot);
  Ranges& here = of.valid[static_cast<size_t>(place)];
  if (here.contains(bytes) || of.is_undefined) return;
  const auto own = [&](int other) { return of.owned.empty() ? Range{} : of.owned[static_cast<size_t>(other)]; };
  const std::vector<int>& owners = owners_in_order(slot);
  auto first = std::ranges::upper_bound(owners, bytes.begin, {}, [&](int other) { return own(other).begin; });
  if (first != owners.begin()) --first;
  std::vector<int> others;  // that own some of them
  for (; first != owners.end() && own(*first).begin < bytes.end; ++first)
    if (*first != place) others.push_back(*first);
  std::ranges::sort(others);
  for (const int other : others)
    if (const Range part = intersect(bytes, own(other)); !part.empty()) bring_from(slot, other, place, part);
  const auto is_to_be_had = [&] {
    const std::vector<Range> missing = here.without(bytes);
    return std::ranges::any_of(missing, [&](const Range& part) { return valid_anywhere(slot).overlaps(part); });
  };
  for (int other = 0; other < places_ && is_to_be_had(); ++other)
    if (other != place) bring_from(slot, other, place, bytes);
  if (!of.on_host) return;
  for (const Range& part : here.without(bytes)) send(slot, host, place, part), here.add(part);
  indices_[static_cast<size_t>(slot)].valid.reset();
}

/// Places have written these bytes, each its own: what others have of them is old.
void Scheduler::note_written(int32_t slot, const std::vector<Range>& by_place) {
  const Ranges all = join(by_place);
  if (all.empty()) return;
  SlotState& of = state(slot);
  for (int place = 0; place < places_; ++place) {
    const Range& own = by_place[static_cast<size_t>(place)];
    if (!own.empty()) touch(slot, place, own);
    Ranges& valid = of.valid[static_cast<size_t>(place)];
    // Of contents that any place can make, a place has what it has memory for.
    if (of.is_anywhere)
      valid =
          Ranges(intersect(result_.slots[static_cast<size_t>(slot)].held[static_cast<size_t>(place)], {0, of.nbytes}));
    valid.remove(all);
    valid.add(own);
  }
  of.is_undefined = of.on_host = of.is_anywhere = false;
  indices_[static_cast<size_t>(slot)].valid.reset();
}

/// Gives each place these bytes, which it gets where the slot has contents.
void Scheduler::give(int32_t slot, std::vector<Range> owned) {
  const bool has_contents = !state(slot).is_undefined;
  if (has_contents)
    for (int place = 0; place < places_; ++place) require(slot, place, owned[static_cast<size_t>(place)]);
  set_owned(slot, std::move(owned));
}

void Scheduler::set_owned(int32_t slot, std::vector<Range> owned) {
  state(slot).owned = std::move(owned);
  indices_[static_cast<size_t>(slot)].owners.reset();
}

void Scheduler::cut(int32_t slot, int64_t row) {
  SlotState& of = state(slot);
  if (!of.owned.empty()) return;
  std::vector<Range> first(each());
  first[0] = {0, of.nbytes};
  give(slot, of.is_small ? first : cut_evenly(of.nbytes, std::max(of.row, row), places_));
}

void Scheduler::add_move(int32_t step, int32_t number, const Move& move) {
  SlotState &from = state(move.from), &to = state(move.to);
  if (to.owned.empty()) {
    if (!from.owned.empty() && from.nbytes == to.nbytes)
      give(move.to, from.owned);
    else
      cut(move.to, 1);
  }
  for (int place = 0; place < places_; ++place) {
    Range all;
    for (const Range& box : move.boxes) {
      const Range part = intersect(box, to.owned[static_cast<size_t>(place)]);
      require(move.from, place, part);
      all = hull(all, part);
    }
    if (!all.empty()) result_.actions.emplace_back(PartMove{step, number, place, all});
  }
  for (const Range& box : move.boxes) {
    std::vector<Range> written;
    for (const Range& own : to.owned) written.push_back(intersect(box, own));
    note_written(move.to, written);
  }
}

/// The lanes of each place: those of the owner of what they write, where that is cut already, else of the longest
/// operand that is, else evenly.
std::vector<Range> Scheduler::share_lanes(const Step& step) {
  const Access* by = nullptr;
  for (const Access& access : step.accesses)
    if (access.writes && (!by || state(by->slot).owned.empty()) && !(by && state(access.slot).owned.empty()))
      by = &access;
  if (by && state(by->slot).owned.empty()) {
    const Access* longest = nullptr;
    for (const Access& access : step.accesses)
      if (!access.writes && access.is_separable() && !state(access.slot).owned.empty() &&
          is_spread(access, step.lanes) && (!longest || state(access.slot).nbytes > state(longest->slot).nbytes))
        longest = &access;
    if (longest && state(by->slot).nbytes <= state(longest->slot).nbytes)
      by = longest;
    else
      cut(by->slot, std::abs(by->step()));
  }
  std::vector<Range> lanes;
  for (int place = 0; place < places_; ++place)
    lanes.push_back(by ? by->lanes_in(state(by->slot).owned[static_cast<size_t>(place)], step.lanes) : Range{});
  return lanes;
}

/// Whether the lanes begin in the bytes of more than one place.
bool Scheduler::is_spread(const Access& access, int64_t lanes) {
  int count = 0;
  for (const Range& owned : state(access.slot).owned) count += !access.lanes_in(owned, lanes).empty();
  return count > 1;
}

void Scheduler::add_lanes(int32_t number, const Step& step) {
  bool is_whole = step.is_whole;
  for (const Access& access : step.accesses) is_whole |= access.writes && !access.is_separable();
  is_whole = !step.is_strip && (is_whole || needs_all(step));
  std::vector<Range> lanes(each());
  if (step.is_strip)
    lanes[home_of(step)] = {0, step.lanes};
  else if (is_whole || step.lanes == 1)
    lanes[0] = {0, step.lanes};
  else
    lanes = share_lanes(step);
  sent_ = 0, meeting_ = bytes_joined_by(step);
  for (const Access& access : step.accesses)
    if (access.writes) own_written(access, lanes);
  for (int place = 0; place < places_; ++place) {
    const Range& own = lanes[static_cast<size_t>(place)];
    for (const Access& access : step.accesses)
      if (!access.writes && !own.empty()) require(access.slot, place, access.bytes(own.begin, own.end));
  }
  // Results of parts that meet in a step of one lane were not counted.
  if (is_whole || (step.lanes == 1 && !step.is_strip)) result_.gathered += sent_;
  if (repeats(step)) return add_repeated(number, step);
  for (int place = 0; place < places_; ++place)
    if (const Range& own = lanes[static_cast<size_t>(place)]; !own.empty())
      result_.actions.emplace_back(Launch{number, place, own.begin, own.end});
  for (const Access& access : step.accesses) {
    if (!access.writes) continue;
    std::vector<Range> written;
    for (const Range& own : lanes) written.push_back(access.bytes(own.begin, own.end));
    note_written(access.slot, written);
  }
}

/// Whether each of a few places computes the one lane rather than waits for what the first one makes of it.
bool Scheduler::repeats(const Step& step) const {
  constexpr int few_places = 8;
  constexpr int64_t few_bytes = 1 << 16;  // that places hold beside what they have of long arrays
  if (step.lanes != 1 || step.is_whole || step.is_strip || places_ > few_places) return false;
  int64_t nbytes = 0;
  for (const Access& access : step.accesses) nbytes += state(access.slot).nbytes;
  return nbytes <= few_bytes;
}

/// The first place has what the lane reads.
void Scheduler::add_repeated(int32_t number, const Step& step) {
  for (int place = 1; place < places_; ++place)
    for (const Access& access : step.accesses)
      if (!access.writes) require(access.slot, place, access.bytes(0, 1));
  for (int place = 0; place < places_; ++place) result_.actions.emplace_back(Launch{number, place, 0, 1});
  for (const Access& access : step.accesses)
    if (access.writes) note_written(access.slot, std::vector<Range>(each(), access.bytes(0, 1)));
}

/// Where one lane, or the only place, makes of temporary slots what is no longer than one place's part of them, these
/// have the results of all places.
int64_t Scheduler::bytes_joined_by(const Step& step) const {
  if (step.lanes == 1) return std::numeric_limits<int64_t>::max();
  int64_t written = 0;
  for (const Access& access : step.accesses)
    if (access.writes) written += access.bytes(0, step.lanes).size();
  return written * places_;
}

/// The place that owns most of what a strip reads of its longest operand, which is cut where it is not yet.
size_t Scheduler::home_of(const Step& step) {
  const Access* longest = nullptr;
  for (const Access& access : step.accesses)
    if (!access.writes && (!longest || state(access.slot).nbytes > state(longest->slot).nbytes)) longest = &access;
  if (!longest) return 0;
  cut(longest->slot, 1);
  const Range read = longest->bytes(0, step.lanes);
  const std::vector<Range>& owned = state(longest->slot).owned;
  const auto share = [&](const Range& own) { return intersect(own, read).size(); };
  return static_cast<size_t>(std::ranges::max_element(owned, {}, share) - owned.begin());
}

/// Whether every lane touches all of the largest operand, so that each place would need all of it.
bool Scheduler::needs_all(const Step& step) const {
  int64_t largest = 0;
  bool is_shared = false;
  for (const Access& access : step.accesses) {
    const int64_t nbytes = state(access.slot).nbytes;
    if (nbytes < largest) continue;
    const bool is_whole = access.elements == 0 || 2 * access.inside.size() > nbytes;
    is_shared = nbytes > largest ? is_whole : is_shared && is_whole;
    largest = nbytes;
  }
  return is_shared;
}

/// Each place owns what its lanes write: where that is not so yet, what is between two places' bytes goes to the
/// first of them.
void Scheduler::own_written(const Access& access, const std::vector<Range>& lanes) {
  std::vector<Range> written;
  for (const Range& own : lanes) written.push_back(access.bytes(own.begin, own.end));
  SlotState& of = state(access.slot);
  bool fits = !of.owned.empty();
  for (size_t place = 0; fits && place < each(); ++place) fits = of.owned[place].contains(written[place]);
  if (fits) return;
  std::vector<size_t> order;
  for (size_t place = 0; place < each(); ++place)
    if (!written[place].empty()) order.push_back(place);
  std::ranges::sort(order, {}, [&](size_t place) { return written[place].begin; });
  std::vector<Range> owned(each());
  for (size_t k = 0; k < order.size(); ++k) {
    const bool is_last = k + 1 == order.size();
    owned[order[k]] = {k == 0 ? 0 : written[order[k]].begin, is_last ? of.nbytes : written[order[k + 1]].begin};
  }
  if (order.empty()) owned[0] = {0, of.nbytes};
  give(access.slot, std::move(owned));
}

Schedule make_schedule(const std::vector<SlotState>& slots, const std::vector<Step>& steps, int places,
                       double most_extra) {
  Scheduler scheduler(slots, places);
  const std::span<const Step> all(steps);
  for (size_t number = 0; number < steps.size();) {
    size_t end = number;
    while (most_extra > 0 && end < steps.size() && scheduler.is_divisible(steps[end])) ++end;
    end = std::max(end, number + 1);
    scheduler.add_together(static_cast<int32_t>(number), all.subspan(number, end - number), most_extra);
    number = end;
  }
  return scheduler.take();
}

}  // namespace tessera::tile
