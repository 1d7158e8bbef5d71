/// Placer: where plans, calls, launches and new arrays go, with what it has learned of them.
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "tessera/engine/device/placement/call_history.h"
#include "tessera/engine/device/placement/machine_facts.h"
#include "tessera/engine/device/placement/place.h"
#include "tessera/engine/device/placement/placed_call.h"
#include "tessera/engine/device/placement/placed_operands.h"
#include "tessera/engine/device/placement/thread_devices.h"
#include "tessera/engine/device/run/device_runners.h"
#include "tessera/engine/host/bound_plan.h"
#include "tessera/engine/kernels/kernel_cache.h"
#include "tessera/engine/support/context.h"
#include "tessera/engine/support/options.h"
#include "tessera/graph/array.h"
#include "tessera/plan/request.h"

namespace tessera::engine {

/// `window` is where the work's thread has set that it may run. A null device is the host.
class Placer {
 public:
  Placer(KernelCache& kernels, DeviceRunners& runners, const Options& options, const SiteHooks& sites)
      : kernels_(kernels), runners_(runners), options_(options), sites_(sites) {}

  /// The device set for the window or, where each operation may choose, the side that takes less time.
  runtime::Device* place_plan(const std::shared_ptr<BoundPlan>& plan, const plan::Request& request,
                              ThreadDevices& window);
  /// The same for a call of a routine or a library; where each operation may choose, the operands are
  /// copied to the chosen device. The first decision within a call by the user holds for all of it.
  runtime::Device* place_call(const CallOperands& operands, const plan::CallCost& cost, ThreadDevices& window);
  /// Whether such a call goes to a device. Where one is set, or several are, its operands need not be there for that.
  bool goes_to_device(const CallOperands& operands, const plan::CallCost& cost, ThreadDevices& window);
  /// A launch is not weighed: it runs on the device set for the window, else where the call that it is part of was
  /// placed, else on the device that the window may choose, which is opened.
  static runtime::Device* place_launch(const CallOperands& operands, ThreadDevices& window);
  /// The same of launches whose operands are not known, on the first of several devices.
  static runtime::Device* place_launches(ThreadDevices& window);
  /// Whether the array is so large that a device is asked about what the host could do with it at once.
  static bool is_chosen_for(const Array& array, const ThreadDevices& window);

  /// Sets the working set of a version that no node makes: that of the line of the program, or of the call in progress.
  void enter(graph::Version& version, bool on_device, const ThreadDevices& window);
  /// Copies elements from outside to the device if the working set of this line's arrays is there; else null.
  Ref<graph::Version> enter_on_device(const char* data, int64_t nbytes, const ThreadDevices& window);
  /// The host reads what has entered a device, for which no work that made it can be charged.
  void note_read(const graph::Version& version);
  /// Device memory is shared with other code from now on: work that uses it is placed on that device.
  void expect_lent(const ThreadDevices& window);
  /// Some result is on a device.
  void note_results() { device_has_results_ = true; }

  /// The call in progress could not run on the device; operations like `for_good` never can.
  void give_up_device(ThreadDevices& window, std::string_view for_good = {});
  /// Whether the plan's results are of a working set.
  static bool is_placed(const BoundPlan& bound, const ThreadDevices& window) {
    return window.may_choose() && !bound.stays_on_host;
  }
  /// Whether this run of the plan is timed: each until its time is known, then short ones now and then.
  bool is_timed(BoundPlan& bound, const runtime::Device* device, const ThreadDevices& window) const;
  void note_host_time(BoundPlan& bound, double seconds);
  /// The same of a plan that was queued on the device; nothing for one that went through it in parts.
  void note_device_time(BoundPlan& bound, runtime::Device& device, std::optional<double> seconds);
  /// The results of nodes are of the working set in which their plan was placed.
  static void note_results(const BoundPlan& bound, const plan::Request& request, bool on_device);
  /// The same of a call, on the host where there is no device.
  void note_call(const plan::CallCost& cost, double seconds, runtime::Device* device);
  /// Elements from outside were copied to memory of the host.
  void note_copy(int64_t nbytes, double seconds) { learn(copy_seconds_a_byte_, seconds / static_cast<double>(nbytes)); }
  /// Measured when a device is first considered; typical values while there is none.
  const plan::MachineFacts& facts_of(runtime::Device* device);

 private:
  bool is_for_device(const CallOperands& operands, const plan::CallCost& cost);
  runtime::Device* choose_for_plan(const std::shared_ptr<BoundPlan>& plan, const plan::Request& request,
                                   ThreadDevices& window);
  /// `nbytes`: of the operands.
  runtime::Device* choose_for_call(PlacedOperands& operands, int64_t nbytes, const plan::CallCost& cost,
                                   ThreadDevices& window, uint32_t& working_set);
  /// The decision between host and device, for all that may choose; the device is opened if that pays.
  plan::Placement choose(const plan::WorkCosts& work, PlacedOperands& operands, runtime::Device* device,
                         const ThreadDevices& window);
  /// Expected seconds of the plan on the host: as measured, or else estimated from plans of similar size.
  double host_time(const BoundPlan& bound, const plan::MachineFacts& facts);
  /// The device, opened if it is not yet; null if there is none.
  runtime::Device* open_for(const ThreadDevices& window, runtime::Device* device);
  /// Seconds until the plan could run on the device.
  double time_to_make(BoundPlan& bound, const ThreadDevices& window, runtime::Device* device,
                      const PlacedOperands& operands);
  /// Starts to open the device or to compile the plan's kernels in the background.
  void get_ready(BoundPlan& bound, const ThreadDevices& window, runtime::Device* device);
  uint64_t site() const { return sites_.current ? sites_.current() : 0; }

  KernelCache& kernels_;
  DeviceRunners& runners_;
  const Options& options_;
  const SiteHooks& sites_;
  double to_device_alone_ = 0;                 // bytes a second to a device, as measured with nothing else under way
  std::optional<plan::MachineFacts> machine_;  // measured when a plan is first worth running on a device
  bool device_has_results_ = false;            // some plan or call has chosen the device
  plan::WorkingSets sets_;
  CallHistory calls_;
  double copy_seconds_a_byte_ = 0;  // to copy arrays from outside on the host; 0: not measured
  double missed_ = 0;               // seconds that a device would have saved all work while none is open
};

}  // namespace tessera::engine
