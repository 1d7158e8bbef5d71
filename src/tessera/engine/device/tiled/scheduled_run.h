/// schedule_run: where the steps of a plan run over several places, and what moves between them.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "tessera/engine/device/tiled/schedule_cache.h"
#include "tessera/engine/host/bound_plan.h"
#include "tessera/engine/support/fallbacks.h"
#include "tessera/plan/plan.h"
#include "tessera/plan/request.h"
#include "tessera/runtime/device.h"
#include "tessera/tile/schedule.h"

namespace tessera::engine {

/// Whether the request makes or reads an array with more elements than there are places.
bool has_array(const plan::Plan& plan, const plan::Request& request, int64_t places);

struct ScheduledRun {
  std::shared_ptr<const ScheduleCache::Derived> derived;
  std::vector<Ref<runtime::Buffer>> memory;  // that the schedule relies on

  const std::vector<tile::Step>& steps() const { return derived->steps; }
  const tile::Schedule& schedule() const { return derived->schedule; }
};
/// A place runs others' lanes beside its own instead of waiting for them, up to `most_extra` of its own. `cache` is of
/// the plan; null: nothing is kept.
ScheduledRun schedule_run(const plan::Plan& plan, const plan::Request& request,
                          std::span<runtime::Device* const> places, double most_extra, ScheduleCache* cache);

/// The plan's schedules; null where there are too many places to keep them.
ScheduleCache* schedules_of(BoundPlan& plan, size_t places);

/// Counts and reports what meets at one place.
void note_gathered(Fallbacks& fallbacks, const plan::Request& request, const tile::Schedule& schedule);

}  // namespace tessera::engine
