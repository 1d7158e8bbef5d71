/// Runner: executes a plan on the host, binding memory and scalars of the window at hand.
#pragma once

#include <memory>
#include <vector>

#include "tessera/engine/kernel_cache.h"
#include "tessera/plan/planner.h"

namespace tessera::engine {

/// A plan with its kernels looked up and its constant arrays laid out as kernels want them.
struct BoundPlan {
  struct BoundStep {
    CachedKernel* kernel = nullptr;
    std::vector<int64_t> strides;
    std::vector<int64_t> dimensions;
    int split_axis = 0;
    int64_t grain = 0;  // along split_axis; 0: one thread does it
  };
  plan::Plan plan;
  std::vector<BoundStep> steps;
};

std::shared_ptr<BoundPlan> bind_plan(plan::Plan plan, KernelCache& kernels);

/// Floating-point events of one node.
struct NodeEvents {
  int node;
  uint32_t events;
};

/// Lets go of the caller's lock (the GIL) around long work.
struct UnlockHooks {
  void* (*unlock)() = nullptr;
  void (*lock)(void* state) = nullptr;
};

/// Runs every step, then settles the versions the plan produces. Throws OutOfMemory before touching anything it cannot
/// finish. Appends what the kernels reported to `events`.
void run_plan(const BoundPlan& bound, const plan::Request& request, graph::Window& window, KernelCache& kernels,
              const UnlockHooks& hooks, std::vector<NodeEvents>& events);

}  // namespace tessera::engine
