/// BoundPlan: a plan whose kernels are looked up and whose constant arrays have the layout that kernels expect.
#pragma once

#include <memory>
#include <vector>

#include "tessera/engine/kernels/kernel_cache.h"
#include "tessera/plan/cost_model.h"
#include "tessera/plan/plan.h"
#include "tessera/runtime/device.h"

namespace tessera::engine {

struct DevicePlan;
class DeviceSet;
class ScheduleCache;

struct BoundPlan {
  struct BoundStep {
    std::shared_ptr<CachedKernel> kernel;
    std::vector<int64_t> strides;
    std::vector<int64_t> dimensions;
    int split_axis = 0;
    int64_t grain = 0;  // along split_axis; 0: a single thread runs the step
    int32_t wave = -1;  // index of the wave that begins with this step; -1: none
    // Where this step's entries begin in the launch's arrays.
    size_t first_buffer = 0;
    size_t first_scalar = 0;
    size_t first_flag = 0;
  };
  plan::Plan plan;
  std::vector<BoundStep> steps;
  size_t buffer_count = 0;
  size_t scalar_count = 0;
  std::vector<int32_t> flag_nodes;  // of all steps, in order
  /// Little enough work and memory to run in the background while all of its memory is allocated at once.
  bool light = false;
  bool large = false;                       // a result may be large enough for graph::note_large
  std::shared_ptr<DevicePlan> on_device;    // created on the first run on a device
  const runtime::Device* device = nullptr;  // the device that on_device was created for
  struct OfDevice {
    const runtime::Device* device;
    std::shared_ptr<DevicePlan> plan;
  };
  /// The same of other devices on which it ran before, for runs by parts on the devices of a set, in their order, and
  /// on that of a rank.
  struct Elsewhere {
    std::vector<OfDevice> alone;
    const DeviceSet* set = nullptr;
    std::vector<std::shared_ptr<DevicePlan>> in_parts;
    std::shared_ptr<DevicePlan> of_rank{};
    std::shared_ptr<ScheduleCache> schedules{};  // of runs over several places; null before the first
  };
  Elsewhere elsewhere;
  const runtime::Device* being_made_for = nullptr;  // the device that its kernels are or were being compiled for
  const runtime::Device* ready_for = nullptr;       // the device that its kernels are compiled for
  plan::PlanCost cost;                              // on the host and on the device; kernels == 0: not computed yet
  uint32_t working_set = 0;                         // in which it was placed last
  bool stays_on_host = false;  // the last time it was too small for a device, and its operands were on the host
  struct Repeats {
    uint32_t untimed = 0;                  // runs since one was timed
    int unweighed = 0;                     // runs since it was weighed
    int left = 0;                          // that it may run unweighed, on arrays that are there
    runtime::Device* on_device = nullptr;  // where; null: the host
  } repeats;
  bool is_warm = false;          // the next run on the device copies no operand there and compiles or allocates nothing
  int64_t plan_bytes = -1;       // memory in use while the plan runs; negative: not computed yet
  int64_t most_node_bytes = -1;  // memory in use if its largest node ran alone; negative: not computed yet
  uint64_t last_use = 0;         // time of the last use, by the plan cache's clock

  /// Makes `device` and `on_device` those of this device, where it ran before; else false, and there are none.
  bool turn_to(const runtime::Device& wanted);
};

std::shared_ptr<BoundPlan> bind_plan(plan::Plan plan, KernelCache& kernels);

}  // namespace tessera::engine
