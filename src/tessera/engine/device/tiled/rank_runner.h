/// RankRunner: runs plans over arrays that are cut over ranks: this rank's part of what all of them derive alike.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "tessera/engine/device/ranks/ranks.h"
#include "tessera/engine/device/run/device_runners.h"
#include "tessera/engine/device/tiled/forecast.h"
#include "tessera/engine/device/tiled/tiled_slots.h"
#include "tessera/engine/host/bound_plan.h"
#include "tessera/engine/support/fallbacks.h"
#include "tessera/engine/support/run_window.h"
#include "tessera/plan/request.h"

namespace tessera::engine {

class RankRunner {
 public:
  RankRunner(KernelCache& kernels, DeviceRunners& devices, Fallbacks& fallbacks)
      : kernels_(kernels), devices_(devices), fallbacks_(fallbacks) {}

  /// Whether an array of so many elements is cut: neither memory nor time decides, which differ between ranks.
  static bool is_cut(int64_t elements, const Ranks& ranks);
  /// Runs the request, which every rank runs alike; throws what fails on any of them.
  void run(BoundPlan& plan, const plan::Request& request, RunWindow& window, Ranks& ranks);
  /// The same for places that are not there: `run_on_host` computes what all of them would have.
  void forecast(const BoundPlan& plan, const plan::Request& request, Ranks& ranks,
                const std::function<void()>& run_on_host);
  void begin_forecast(const MachineOfPlaces& machine) { forecast_ = std::make_unique<Forecast>(machine); }
  /// Null where nothing is forecast.
  Forecast* forecast() { return forecast_.get(); }

 private:
  struct Run;
  void prepare_kernels(const BoundPlan& plan);
  /// Has what the device tells of events told to all ranks, with the next look.
  void watch_device(Ranks& ranks);
  /// The plan for launches on the rank's device; null where it has none.
  DevicePlan* bind(BoundPlan& plan, Ranks& ranks);

  KernelCache& kernels_;
  DeviceRunners& devices_;
  Fallbacks& fallbacks_;
  Margins margins_;
  RunWindow device_window_;  // of what the rank's device tells
  std::unique_ptr<Forecast> forecast_;
};

}  // namespace tessera::engine
