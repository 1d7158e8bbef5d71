#include "tessera/engine/device/tiled/tiled_launches.h"

#include <algorithm>
#include <initializer_list>
#include <utility>

#include "tessera/engine/device/memory/plan_memory.h"
#include "tessera/engine/device/tiled/clip_boxes.h"
#include "tessera/engine/device/tiled/exchange.h"
#include "tessera/engine/support/memory.h"
#include "tessera/profile/counters.h"

namespace tessera::engine {

/// What comes from the host cannot be captured.
bool TiledLaunches::may_repeat() const {
  const auto comes_from_host = [](const tile::Action& action) {
    const auto* message = std::get_if<tile::Message>(&action);
    return message && message->from == tile::host;
  };
  for (int place = 0; place < slots_.places(); ++place)
    if (plan_of(place).parameter_bytes > 0) return false;
  return !std::ranges::any_of(run_.schedule().actions, comes_from_host);
}

void TiledLaunches::begin(RunWindow& window) {
  may_replay_ = !DeviceRunner::waits() && may_repeat() &&
                plan_of(0).replays.is_worth_it(static_cast<int>(run_.schedule().actions.size()));
  for (int place = 0; place < slots_.places(); ++place) {
    launches_.emplace_back(runner(place), plan_of(place), bound_.plan, request_, slots_, place, window, may_replay_);
    may_replay_ &= launches_.back().has_own_events();
  }
}

/// All that decides what is queued, but for scalars.
ReplayKey TiledLaunches::key() const {
  const plan::Plan& plan = bound_.plan;
  ReplayKey key{.places = {}, .scalars = scalars_of(plan, request_)};
  const auto add = [&](std::initializer_list<int64_t> words) {
    for (const int64_t word : words) key.places.push_back(static_cast<uint64_t>(word));
  };
  for (int place = 0; place < slots_.places(); ++place) {
    add({plan_of(place).renewals});
    for (size_t slot = 0; slot < plan.slots.size(); ++slot)
      add({reinterpret_cast<int64_t>(slots_.address(static_cast<int32_t>(slot), place))});
  }
  for (const plan::Step& step : plan.steps) {
    for (const plan::CopyStep& copy : step.copies) add({request_.node(copy.node).offset});
    for (const plan::Binding& binding : step.kernel.buffers) add({offset_of(binding, request_)});
  }
  for (const tile::Action& action : run_.schedule().actions) {
    add({static_cast<int64_t>(action.index())});
    if (const auto* message = std::get_if<tile::Message>(&action))
      add({message->slot, message->from, message->to, message->bytes.begin, message->bytes.end});
    else if (const auto* moved = std::get_if<tile::PartMove>(&action))
      add({moved->step, moved->move, moved->place, moved->bytes.begin, moved->bytes.end});
    else if (const auto* part = std::get_if<tile::Launch>(&action))
      add({part->step, part->place, part->begin, part->end});
  }
  return key;
}

void TiledLaunches::count_messages() const {
  using profile::Counter;
  for (const tile::Action& action : run_.schedule().actions) {
    const auto* message = std::get_if<tile::Message>(&action);
    if (!message) continue;
    const bool from_host = message->from == tile::host;
    profile::add(from_host ? Counter::copies_to_device : Counter::copies_between_devices);
    profile::add(from_host ? Counter::bytes_to_device : Counter::bytes_between_devices, message->bytes.size());
  }
}

void TiledLaunches::queue() {
  count_messages();
  if (!may_replay_) return queue_each();
  std::vector<runtime::Stream*> beside;
  for (int place = 1; place < slots_.places(); ++place) beside.push_back(&slots_.device(place).stream());
  const auto write = [&] {
    const Unchanged<bool> nothing_queued(has_written_);
    queue_each();
  };
  runtime::Stream& stream = slots_.device(0).stream();
  plan_of(0).replays.run(
      stream, key(), [&] { queue_each(); }, write, [&] { return stream.capture(write, {}, beside); });
}

void TiledLaunches::add_touched(const tile::Action& action, std::vector<Touched>& all) const {
  if (const auto* launch = std::get_if<tile::Launch>(&action)) {
    for (const tile::Access& access : run_.steps()[static_cast<size_t>(launch->step)].accesses)
      all.push_back(touched(access.slot, launch->place, access.bytes(launch->begin, launch->end), access.writes));
  } else if (const auto* part = std::get_if<tile::PartMove>(&action)) {
    const tile::Move& move = run_.steps()[static_cast<size_t>(part->step)].moves[static_cast<size_t>(part->move)];
    all.push_back(touched(move.from, part->place, part->bytes, false));
    all.push_back(touched(move.to, part->place, part->bytes, true));
  }
}

/// Messages of what is there already go with those before: places then wait for each other once instead of twice.
std::vector<tile::Action> TiledLaunches::with_early_messages() const {
  std::vector<tile::Action> actions;
  size_t end = 0;              // of the last messages between places; 0: there are none
  std::vector<Touched> since;  // what comes after them
  const auto overlap = [](const Touched& a, const Touched& b) {
    return a.place == b.place && (a.writes || b.writes) && a.begin < b.end && b.begin < a.end;
  };
  for (const tile::Action& action : run_.schedule().actions) {
    const auto* message = std::get_if<tile::Message>(&action);
    if (!message || message->from == tile::host) {
      actions.push_back(action);
      if (message) since.push_back(touched(message->slot, message->to, message->bytes, true));
      add_touched(action, since);
      continue;
    }
    const Touched sent = touched(message->slot, message->from, message->bytes, false),
                  got = touched(message->slot, message->to, message->bytes, true);
    const bool waits =
        std::ranges::any_of(since, [&](const Touched& other) { return overlap(other, sent) || overlap(other, got); });
    if (end > 0 && !waits) {
      actions.insert(actions.begin() + static_cast<std::ptrdiff_t>(end++), action);
      continue;
    }
    actions.push_back(action);
    end = actions.size();
    since.clear();
  }
  return actions;
}

void TiledLaunches::queue_each() {
  Exchange exchange(slots_, devices_);
  std::vector<Moves> moves;
  for (int place = 0; place < slots_.places(); ++place) {
    const auto same_memory = [this, place](int32_t a, int32_t b) {
      return slots_.address(a, place) == slots_.address(b, place);
    };
    moves.push_back({.place = place, .joiner = plan::MoveJoiner(same_memory)});
  }
  for (const tile::Action& action : with_early_messages()) {
    if (const auto* message = std::get_if<tile::Message>(&action)) {
      for (const int place : {message->from, message->to})
        if (place != tile::host) queue_moves(moves[static_cast<size_t>(place)]);
      exchange.add(*message);
      continue;
    }
    exchange.flush();
    const auto* launch = std::get_if<tile::Launch>(&action);
    Moves& here = moves[static_cast<size_t>(launch ? launch->place : std::get<tile::PartMove>(action).place)];
    if (add_to(here, action)) continue;
    queue_moves(here);
    if (!add_to(here, action)) queue_one(action);
  }
  std::ranges::for_each(moves, [&](Moves& left) { queue_moves(left); });
  exchange.flush();
}

void TiledLaunches::queue_one(const tile::Action& action) {
  has_written_ = true;
  if (const auto* part = std::get_if<tile::PartMove>(&action)) {
    launches_[static_cast<size_t>(part->place)].move(*part);
  } else {
    const auto& launch = std::get<tile::Launch>(action);
    launches_[static_cast<size_t>(launch.place)].launch(launch, is_repeated(launch));
  }
}

std::optional<plan::CopyRequest> TiledLaunches::small_copy(const tile::Action& action) const {
  std::optional<plan::CopyRequest> request;
  if (const auto* part = std::get_if<tile::PartMove>(&action)) {
    const plan::CopyStep& copy =
        bound_.plan.steps[static_cast<size_t>(part->step)].copies[static_cast<size_t>(part->move)];
    request = {.boxes = clip_boxes(boxes_for(copy, request_), part->bytes), .to = copy.to, .from = copy.from};
  } else {
    const auto& run = std::get<tile::Launch>(action);
    const plan::KernelStep& step = bound_.plan.steps[static_cast<size_t>(run.step)].kernel;
    std::vector<int64_t> offsets;
    for (const plan::Binding& binding : step.buffers) offsets.push_back(offset_of(binding, request_));
    request = plan::find_plain_copy(step, offsets, run.begin, run.end);
  }
  if (request && !is_small(*request)) request.reset();
  return request;
}

/// Slots have the same bytes at the place, or none in common.
bool TiledLaunches::can_join(const Moves& moves, const plan::CopyRequest& request) const {
  std::vector<int32_t> slots = moves.slots;
  slots.push_back(request.to);
  if (request.from >= 0) slots.push_back(request.from);
  for (const int32_t a : slots)
    for (const int32_t b : slots) {
      const runtime::Buffer *x = slots_.memory(a, moves.place), *y = slots_.memory(b, moves.place);
      if (!x || !y) return false;
      const bool are_apart = x->data() + x->nbytes() <= y->data() || y->data() + y->nbytes() <= x->data();
      if (!are_apart && slots_.address(a, moves.place) != slots_.address(b, moves.place)) return false;
    }
  return true;
}

bool TiledLaunches::add_to(Moves& moves, const tile::Action& action) const {
  const std::optional<plan::CopyRequest> request = small_copy(action);
  if (!request || !can_join(moves, *request) || !moves.joiner.add(*request)) return false;
  moves.actions.push_back(action);
  moves.slots.push_back(request->to);
  if (request->from >= 0) moves.slots.push_back(request->from);
  return true;
}

void TiledLaunches::queue_moves(Moves& moves) {
  const std::vector<tile::Action> actions = std::exchange(moves.actions, {});
  moves.slots.clear();
  const std::optional<plan::MoveSet> set = moves.joiner.take();
  if (actions.size() > 1 && set) {
    // Copies of memory onto itself do nothing.
    if (set->moves.empty()) return;
    const auto memory = [&](int32_t slot) { return slots_.address(slot, moves.place); };
    if (runner(moves.place).move(*set, request_, memory)) {
      has_written_ = true;
      return;
    }
  }
  for (const tile::Action& action : actions) queue_one(action);
}

/// Whether the first place runs the same lane, and tells of its events.
bool TiledLaunches::is_repeated(const tile::Launch& part) const {
  const tile::Step& step = run_.steps()[static_cast<size_t>(part.step)];
  return step.lanes == 1 && !step.is_strip && part.place > 0;
}

}  // namespace tessera::engine
