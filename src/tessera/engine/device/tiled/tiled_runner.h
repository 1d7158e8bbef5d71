/// TiledRunner: runs plans over arrays that are cut over several devices, each of which computes its own part.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "tessera/engine/device/placement/device_set.h"
#include "tessera/engine/device/run/device_runners.h"
#include "tessera/engine/device/tiled/scheduled_run.h"
#include "tessera/engine/device/tiled/tiled_slots.h"
#include "tessera/engine/host/bound_plan.h"
#include "tessera/engine/support/run_window.h"
#include "tessera/plan/request.h"

namespace tessera::engine {

class TiledRunner {
 public:
  TiledRunner(DeviceRunners& devices, Fallbacks& fallbacks) : devices_(devices), fallbacks_(fallbacks) {}

  /// Whether arrays of the request are cut, or perhaps will be.
  static bool may_cut(const plan::Request& request, const DeviceSet& devices);
  /// Whether the plan's arrays are to be cut over these devices: they do not fit one of them, one is cut already, or
  /// TESSERA_CUT=always asks for it.
  bool is_cut(BoundPlan& plan, const plan::Request& request, const DeviceSet& devices) const;
  /// False when it cannot run so, and nothing was done. Throws OutOfMemory before anything is queued.
  bool run(BoundPlan& plan, const plan::Request& request, RunWindow& window, const DeviceSet& devices);

 private:
  bool bind(BoundPlan& plan, const DeviceSet& devices);
  void queue(const BoundPlan& plan, const plan::Request& request, RunWindow& window, const ScheduledRun& scheduled,
             TiledSlots& slots);

  DeviceRunners& devices_;
  Fallbacks& fallbacks_;
  Margins margins_;
};

}  // namespace tessera::engine
