#include "tessera/engine/device/tiled/scheduled_run.h"

#include <algorithm>
#include <string>
#include <utility>

#include "tessera/base/format.h"
#include "tessera/engine/device/memory/plan_memory.h"
#include "tessera/engine/device/memory/tile_rules.h"
#include "tessera/engine/device/tiled/tile_steps.h"
#include "tessera/engine/device/tiled/tiled_slots.h"
#include "tessera/engine/support/limits.h"
#include "tessera/graph/node.h"
#include "tessera/runtime/host/system_memory.h"

namespace tessera::engine {

namespace {

constexpr int64_t told_bytes = 1 << 20;  // gathers of less are counted and not told

/// The bytes from which on arrays are cut that are computed together with larger ones. Ranks, which all compute what is
/// small, have cut what is here.
int64_t least_bytes_beside_others(std::span<runtime::Device* const> places) {
  const TileRules& rules = tile_rules();
  if (rules.cut == CutRule::always || places[0]->family() == runtime::Family::rank) return 0;
  return rules.cut == CutRule::from_size ? std::min(rules.least_bytes, TileLimits::least_bytes_beside_others)
                                         : TileLimits::least_bytes_beside_others;
}

/// All that the plan's steps take of where views begin.
std::vector<int64_t> offsets_of(const plan::Plan& plan, const plan::Request& request) {
  std::vector<int64_t> offsets;
  for (const plan::Step& step : plan.steps) {
    for (const plan::CopyStep& copy : step.copies) offsets.push_back(request.node(copy.node).offset);
    for (const plan::Binding& binding : step.kernel.buffers) offsets.push_back(offset_of(binding, request));
  }
  return offsets;
}

}  // namespace

bool has_array(const plan::Plan& plan, const plan::Request& request, int64_t places) {
  for (int i = 0; i < request.size(); ++i) {
    int64_t elements = 1;
    for (const int64_t extent : request.node(i).form->shape) elements *= extent;
    if (elements > places) return true;
  }
  constexpr int64_t longest_item = 16;
  return std::ranges::any_of(plan.slots, [&](const plan::Slot& slot) { return slot.nbytes > longest_item * places; });
}

ScheduledRun schedule_run(const plan::Plan& plan, const plan::Request& request,
                          std::span<runtime::Device* const> places, double most_extra, ScheduleCache* cache) {
  SlotStates states = find_slot_states(plan, request, places);
  const std::vector<int64_t> rows = row_bytes(plan, request);
  const int64_t least = least_bytes_beside_others(places);
  for (size_t slot = 0; slot < states.slots.size(); ++slot) {
    states.slots[slot].row = rows[slot];
    states.slots[slot].is_small = states.slots[slot].nbytes < least;
  }
  ScheduleCache::Key key{.places = places.size(),
                         .most_extra = most_extra,
                         .offsets = cache ? offsets_of(plan, request) : std::vector<int64_t>{},
                         .slots = std::move(states.slots)};
  if (cache)
    if (auto known = cache->find(key)) return {std::move(known), std::move(states.memory)};
  auto derived = std::make_shared<ScheduleCache::Derived>(tile_steps(plan, request));
  derived->schedule = tile::make_schedule(key.slots, derived->steps, static_cast<int>(places.size()), most_extra);
  if (cache) cache->add(std::move(key), derived);
  return {std::move(derived), std::move(states.memory)};
}

ScheduleCache* schedules_of(BoundPlan& plan, size_t places) {
  constexpr size_t most_places = 64;  // of which a schedule takes some ten kilobytes
  if (places > most_places) return nullptr;
  if (!plan.elsewhere.schedules) plan.elsewhere.schedules = std::make_shared<ScheduleCache>();
  return plan.elsewhere.schedules.get();
}

void note_gathered(Fallbacks& fallbacks, const plan::Request& request, const tile::Schedule& schedule) {
  if (schedule.gathered == 0) return;
  const graph::Form& form = *request.node(request.size() - 1).form;
  const std::string what = format("{} of shape {}", form.op->name, shape_text(form.shape));
  note_gather(schedule.gathered, what);
  if (schedule.gathered < told_bytes) return;
  fallbacks.note("gathered " + std::string(form.op->name),
                 format("{} has no form over several devices: {} of its operands meet on one of them", what,
                        runtime::size_text(schedule.gathered)));
}

}  // namespace tessera::engine
