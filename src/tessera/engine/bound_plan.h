/// BoundPlan: a plan with its kernels looked up and its constant arrays laid out as kernels want them.
#pragma once

#include <memory>
#include <vector>

#include "tessera/engine/device/cost_model.h"
#include "tessera/engine/kernel_cache.h"
#include "tessera/plan/plan.h"
#include "tessera/runtime/device.h"

namespace tessera::engine {

struct DevicePlan;

struct BoundPlan {
  struct BoundStep {
    std::shared_ptr<CachedKernel> kernel;
    std::vector<int64_t> strides;
    std::vector<int64_t> dimensions;
    int split_axis = 0;
    int64_t grain = 0;  // along split_axis; 0: one thread does it
    int32_t wave = -1;  // that begins with this step
    // Where this step's part begins in the launch's arrays.
    size_t first_buffer = 0;
    size_t first_scalar = 0;
    size_t first_flag = 0;
  };
  plan::Plan plan;
  std::vector<BoundStep> steps;
  size_t buffer_count = 0;
  size_t scalar_count = 0;
  std::vector<int32_t> flag_nodes;  // of all steps
  /// So little work and memory that it may run beside the program, all of its memory held at once.
  bool light = false;
  bool large = false;                               // some result may be one that graph::note_large wants to know of
  std::shared_ptr<DevicePlan> on_device;            // made when first run there
  const runtime::Device* device = nullptr;          // that on_device is for
  const runtime::Device* being_made_for = nullptr;  // for which its kernels are being compiled, or were
  const runtime::Device* ready_for = nullptr;       // for which they are there
  PlanCost cost;                                    // of either side; no kernels: not computed yet
  Regret regret;
  bool is_warm = false;          // its next run on the device brings no operand there and makes nothing
  int64_t plan_bytes = -1;       // that it holds while it runs; negative: not computed yet
  int64_t most_node_bytes = -1;  // that one of its nodes would hold if it ran alone
  uint64_t last_use = 0;         // of the plan cache's clock
};

std::shared_ptr<BoundPlan> bind_plan(plan::Plan plan, KernelCache& kernels);

}  // namespace tessera::engine
