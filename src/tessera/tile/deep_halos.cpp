// Steps that follow each other on places' own lanes and those next to them, with one exchange before all of them.
#include <algorithm>
#include <utility>

#include "tessera/tile/scheduler.h"

namespace tessera::tile {

/// What each place runs of some steps, and which bytes it needs before them.
struct Scheduler::Shares {
  using ByPlace = std::vector<Range>;
  std::vector<ByPlace> lanes;               // by step
  std::vector<std::vector<ByPlace>> moved;  // by step, by move
  std::vector<ByPlace> needed;              // by slot

  /// What the places run of steps that were added one by one.
  Shares(const std::vector<Action>& actions, int32_t first, std::span<const Step> steps, size_t slots, size_t places) {
    lanes.assign(steps.size(), ByPlace(places));
    needed.assign(slots, ByPlace(places));
    for (const Step& step : steps) moved.emplace_back(step.moves.size(), ByPlace(places));
    for (const Action& action : actions) {
      if (const auto* launch = std::get_if<Launch>(&action))
        lanes[static_cast<size_t>(launch->step - first)][static_cast<size_t>(launch->place)] = {launch->begin,
                                                                                                launch->end};
      else if (const auto* part = std::get_if<PartMove>(&action))
        moved[static_cast<size_t>(part->step - first)][static_cast<size_t>(part->move)]
             [static_cast<size_t>(part->place)] = part->bytes;
    }
  }

  void need(int32_t slot, size_t place, const Range& bytes) {
    Range& all = needed[static_cast<size_t>(slot)][place];
    all = hull(all, bytes);
  }
  const Range& need_of(int32_t slot, size_t place) const { return needed[static_cast<size_t>(slot)][place]; }

  /// From the last step to the first: lanes that write what a later step needs are run, too, and what they read is
  /// needed. Bytes that a step writes stay needed, since it may leave gaps between them. Returns the lanes added.
  int64_t widen(std::span<const Step> steps, size_t place) {
    int64_t added = 0;
    for (size_t k = steps.size(); k-- > 0;) {
      Range& run = lanes[k][place];
      const int64_t before = run.size();
      for (const Access& access : steps[k].accesses)
        if (access.writes) run = hull(run, access.lanes_touching(need_of(access.slot, place), steps[k].lanes));
      for (const Access& access : steps[k].accesses) need(access.slot, place, access.bytes(run.begin, run.end));
      added += run.size() - before;
      for (size_t m = steps[k].moves.size(); m-- > 0;) {
        const Move& move = steps[k].moves[m];
        Range& part = moved[k][m][place];
        for (const Range& box : move.boxes) part = hull(part, intersect(box, need_of(move.to, place)));
        for (const Range& box : move.boxes) need(move.from, place, intersect(box, part));
        need(move.to, place, part);
      }
    }
    return added;
  }
};

namespace {

/// Whether places exchange after the first of them has run something.
bool has_later_messages(const std::vector<Action>& actions) {
  bool has_run = false;
  for (const Action& action : actions) {
    const auto* message = std::get_if<Message>(&action);
    if (message && message->from != host && has_run) return true;
    has_run |= !message;
  }
  return false;
}

void each_written(std::span<const Step> steps, auto&& use) {
  for (const Step& step : steps) {
    for (const Move& move : step.moves) use(move.to);
    for (const Access& access : step.accesses)
      if (access.writes) use(access.slot);
  }
}

}  // namespace

bool Scheduler::is_divisible(const Step& step) const {
  if (step.is_whole || step.is_strip || step.lanes == 1 || (step.lanes > 0 && needs_all(step))) return false;
  return std::ranges::all_of(step.accesses,
                             [](const Access& access) { return !access.writes || access.is_separable(); });
}

Scheduler::Together Scheduler::try_together(int32_t first, std::span<const Step> steps, double most_extra) {
  std::vector<Action> actions = std::exchange(result_.actions, {});
  Scheduler apart(*this);
  result_.actions = std::move(actions);
  for (size_t k = 0; k < steps.size(); ++k) apart.add(first + static_cast<int32_t>(k), steps[k]);
  if (apart.result_.gathered != result_.gathered || !has_later_messages(apart.result_.actions))
    return Together::useless;
  // What is cut already stays so.
  for (size_t slot = 0; slot < states_.size(); ++slot)
    if (!states_[slot].owned.empty() && states_[slot].owned != apart.states_[slot].owned) return Together::too_much;

  Shares shares(apart.result_.actions, first, steps, states_.size(), each());
  for (size_t place = 0; place < each(); ++place) {
    each_written(steps, [&](int32_t slot) { shares.need(slot, place, apart.state(slot).owned[place]); });
    int64_t own = 0;
    for (const std::vector<Range>& lanes : shares.lanes) own += lanes[place].size();
    if (static_cast<double>(shares.widen(steps, place)) > most_extra * static_cast<double>(own))
      return Together::too_much;
  }
  add_shares(first, steps, shares, apart);
  return Together::done;
}

void Scheduler::add_shares(int32_t first, std::span<const Step> steps, const Shares& shares, const Scheduler& apart) {
  for (size_t slot = 0; slot < states_.size(); ++slot)
    for (int place = 0; place < places_; ++place)
      require(static_cast<int32_t>(slot), place,
              intersect(shares.needed[slot][static_cast<size_t>(place)], {0, states_[slot].nbytes}));
  for (size_t k = 0; k < steps.size(); ++k) {
    const int32_t number = first + static_cast<int32_t>(k);
    for (size_t m = 0; m < steps[k].moves.size(); ++m)
      for (int place = 0; place < places_; ++place)
        if (const Range& part = shares.moved[k][m][static_cast<size_t>(place)]; !part.empty())
          result_.actions.emplace_back(PartMove{number, static_cast<int32_t>(m), place, part});
    for (int place = 0; place < places_; ++place)
      if (const Range& run = shares.lanes[k][static_cast<size_t>(place)]; !run.empty())
        result_.actions.emplace_back(Launch{number, place, run.begin, run.end});
  }
  each_written(steps, [&](int32_t slot) {
    SlotState& of = state(slot);
    set_owned(slot, apart.state(slot).owned);
    of.is_undefined = of.on_host = of.is_anywhere = false;
    for (size_t place = 0; place < each(); ++place) of.valid[place] = Ranges(of.owned[place]);
    indices_[static_cast<size_t>(slot)].valid.reset();
  });
}

void Scheduler::add_together(int32_t first, std::span<const Step> steps, double most_extra) {
  if (steps.size() > 1) {
    const Together found = try_together(first, steps, most_extra);
    if (found == Together::done) return;
    if (found == Together::too_much) {
      const size_t half = steps.size() / 2;
      add_together(first, steps.first(half), most_extra);
      add_together(first + static_cast<int32_t>(half), steps.subspan(half), most_extra);
      return;
    }
  }
  for (size_t k = 0; k < steps.size(); ++k) add(first + static_cast<int32_t>(k), steps[k]);
}

}  // namespace tessera::tile
