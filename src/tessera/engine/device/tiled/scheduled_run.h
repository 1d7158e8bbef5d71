/// schedule_run: where the steps of a plan run over several places, and what moves between them.
#pragma once

#include <span>
#include <vector>

#include "tessera/engine/support/fallbacks.h"
#include "tessera/plan/plan.h"
#include "tessera/plan/request.h"
#include "tessera/runtime/device.h"
#include "tessera/tile/schedule.h"

namespace tessera::engine {

/// Whether the request makes or reads an array with more elements than there are places.
bool has_array(const plan::Plan& plan, const plan::Request& request, int64_t places);

struct ScheduledRun {
  std::vector<tile::Step> steps;
  tile::Schedule schedule;
  std::vector<Ref<runtime::Buffer>> memory;  // that the schedule relies on
};
/// A place runs others' lanes beside its own instead of waiting for them, up to `most_extra` of its own.
ScheduledRun schedule_run(const plan::Plan& plan, const plan::Request& request,
                          std::span<runtime::Device* const> places, double most_extra);

/// Counts and reports what meets at one place.
void note_gathered(Fallbacks& fallbacks, const plan::Request& request, const tile::Schedule& schedule);

}  // namespace tessera::engine
