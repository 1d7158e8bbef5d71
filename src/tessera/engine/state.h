/// State: an engine's parts, which the files of this folder share.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>

#include "tessera/engine/device/placement/placer.h"
#include "tessera/engine/device/run/device_runners.h"
#include "tessera/engine/device/tiled/rank_runner.h"
#include "tessera/engine/device/tiled/tiled_runner.h"
#include "tessera/engine/executor.h"
#include "tessera/engine/host/plan_cache.h"
#include "tessera/engine/host/runner.h"
#include "tessera/engine/kernels/kernel_cache.h"
#include "tessera/engine/kernels/user_kernel.h"
#include "tessera/engine/record/windows.h"
#include "tessera/engine/support/context.h"
#include "tessera/engine/support/fallbacks.h"
#include "tessera/engine/support/options.h"

namespace tessera::engine {

struct State {
  State();

  /// The site to record: that of the caller, or the line that runs now for what the engine records of its own.
  uint64_t site_of(const Context& context) const {
    return context.site || !sites.current ? context.site : sites.current();
  }
  std::string describe_site(uint64_t site) const { return sites.describe ? sites.describe(site) : std::string(); }
  /// Call before a node uses the array: runs other threads' nodes that make it. Returns true when it did so; other
  /// arrays may have become pending meanwhile.
  bool finish_elsewhere(const Array& array, Recorder& window) {
    const graph::Version& version = *array.storage->current;
    if (!version.window || version.window == &window) [[likely]]
      return false;
    executor.finish(version);
    windows.wait_until_open(window);
    return true;
  }
  /// Opens the window for work on as many elements as `count` says, and on these arrays; where there are no ranks
  /// nothing is counted.
  template <class Count, class... Arrays>
  Recorder& open_window(const Count& count, const Arrays*... arrays) {
    if (!windows.over_ranks()) [[likely]]
      return windows.open_own();
    const bool is_cut = is_cut_over_ranks(count()) || (... || (arrays && is_over_ranks(*arrays)));
    return open_window_of_ranks(is_cut);
  }
  /// The same window as it is, for work that may follow what was recorded before; null where it runs, or there is none.
  template <class Count, class... Arrays>
  Recorder* window_to_follow(const Count& count, const Arrays*... arrays) const {
    Recorder* window = windows.own_if_any();
    if (windows.over_ranks() && (is_cut_over_ranks(count()) || (... || (arrays && is_over_ranks(*arrays)))))
        [[unlikely]]
      window = windows.over_ranks();
    return window && !window->running ? window : nullptr;
  }
  Recorder& open_window_of_ranks(bool is_cut) {
    if (!is_cut) return windows.open_own();
    windows.wait_until_open(*windows.over_ranks());
    return *windows.over_ranks();
  }
  /// Whether an array of so many elements is cut over ranks, and whether this one is, or will be.
  bool is_cut_over_ranks(int64_t elements) const;
  /// Whether a new array of so many elements is to be cut over ranks, so that none has memory for all of it.
  bool goes_over_ranks(int64_t elements) const { return windows.over_ranks() && is_cut_over_ranks(elements); }
  bool is_over_ranks(const Array& array) const;
  /// Called after every recorded node.
  void after_record(Recorder& window, bool run_now) {
    if (run_now || !options.lazy) [[unlikely]]
      return executor.run_to_end(window);
    const int64_t due = window.due(options.window_limit, options.wave_bytes);
    if (due > window.begin()) [[unlikely]]
      executor.start_until(window, due);
  }
  /// Whether a call on these arrays, whose work is recorded or done by others, goes to a device:
  /// Placer::goes_to_device.
  bool goes_to_device(std::span<const Array* const> operands, const plan::CallCost& cost);
  /// Adds an array that no node makes to the list of large arrays.
  void note_large(const Array& array);

  Options options;
  UnlockHooks hooks;
  SiteHooks sites;
  KernelCache kernels;
  Runner runner{kernels, hooks};
  Fallbacks fallbacks;
  PlanCache plans{kernels};
  UserKernels user_kernels;
  std::unordered_map<std::string, std::shared_ptr<CachedKernel>> host_routines;  // by name
  Windows windows;
  Executor executor;
  DeviceRunners devices{kernels, runner, fallbacks};
  TiledRunner tiled{devices, fallbacks};
  RankRunner over_ranks{kernels, devices, fallbacks};
  Placer placer{kernels, devices, options, sites};
};

}  // namespace tessera::engine
