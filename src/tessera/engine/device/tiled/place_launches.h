/// PlaceLaunches: what one place queues on its device, of a plan that runs over several places.
#pragma once

#include "tessera/engine/device/run/device_runner.h"
#include "tessera/engine/device/tiled/tiled_slots.h"
#include "tessera/plan/plan.h"
#include "tessera/plan/request.h"
#include "tessera/tile/schedule.h"

namespace tessera::engine {

class PlaceLaunches {
 public:
  /// Takes words for the events of the plan's kernels, of its own where it `repeats` and some are left. `bound` is for
  /// runs by parts on the runner's device.
  PlaceLaunches(DeviceRunner& runner, DevicePlan& bound, const plan::Plan& plan, const plan::Request& request,
                const TiledSlots& slots, int place, RunWindow& window, bool repeats);

  bool has_own_events() const { return run_.has_own_events; }
  /// `is_repeated`: another place runs the same lanes, and tells of their events.
  void launch(const tile::Launch& part, bool is_repeated) const;
  void move(const tile::PartMove& part) const;

 private:
  DeviceRunner& runner_;
  const DevicePlan& bound_;
  const plan::Plan& plan_;
  const plan::Request& request_;
  const TiledSlots& slots_;
  int place_;
  DeviceRunner::PartsRun run_;
};

}  // namespace tessera::engine
