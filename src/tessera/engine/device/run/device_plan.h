/// DevicePlan: a plan prepared for one device, and the captured launches of its runs that can be replayed as a whole.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "tessera/engine/device/launch/device_kernels.h"
#include "tessera/engine/device/launch/mapped_launch.h"
#include "tessera/engine/device/run/replays.h"
#include "tessera/engine/support/limits.h"
#include "tessera/plan/moves.h"
#include "tessera/plan/plan.h"

namespace tessera::engine {

using PlanParts = std::vector<plan::PlanPart>;

/// The parts of a plan for one device that do not change from one run to the next.
struct DevicePlan {
  struct DeviceStep {
    DeviceKernel* kernel = nullptr;  // null: copies only, nothing to compute, or run by an earlier step
    size_t takes = 0;  // number of next steps that its kernel runs as its epilogue, unless they have a program
    bool is_taken = false;
    const runtime::Program* program = nullptr;  // the program that the grid was chosen for
    runtime::Grid grid;
    std::vector<char> block;                          // the parameters, except addresses and scalars
    std::shared_ptr<const mapping::Mapped> mapped{};  // how the step's kernel is launched over a grid, where it is
    bool is_mapped = false;                           // the program is that of `mapped`
    const char* ticket = nullptr;                     // counter of finished blocks, for launches with an epilogue
    int64_t parameters = -1;                          // offset in the plan's parameter memory, if not passed by value
  };
  std::vector<DeviceStep> steps;
  /// False while it could not be compiled and is not to be tried again yet.
  bool can_run() {
    if (!is_complete && !is_tried_again) is_tried_again = retry.is_due();
    return is_complete || is_tried_again;
  }
  /// How many next steps the current program of this step runs in its launch.
  size_t taken(size_t step) const { return steps[step].takes && !steps[step + 1].program ? steps[step].takes : 0; }
  int64_t flag_count = 0;
  int64_t parameter_bytes = 0;
  std::optional<plan::Plan> spread;  // the same plan with less sharing of memory, if that is how it runs on the device
  PlanParts parts;                   // what is queued, one part at a time
  PlanParts joined;                  // the same with some moves joined, valid if views lie as planned; or empty
  int launches = 0;
  int renewals = 0;  // how often a step got another program
  Replays replays;
  /// The event words owned by the plan, the same in every run, and a hash of the nodes that watch them.
  struct OwnEvents {
    int64_t first = -1;
    uint64_t collection = 0;
    uint64_t listeners = 0;
  } own_events;
  bool is_complete = false;  // every kernel can be compiled for the device
  Retry retry{};             // while that is not so
  bool is_tried_again = false;
  bool is_settled = false;  // and no better program is expected
  uint32_t number = 0;      // unique among plans; never 0
  int64_t iterations = 0;   // runs counted by the placement decision
};

/// Whether the step has anything to compute.
bool has_work(const plan::KernelStep& step);
/// The step's kernel with its optimised mapping for such launches.
WantedKernel wanted_kernel(const plan::KernelStep& step, const runtime::Device& device,
                           LaunchOver over = LaunchOver::all);
/// The kernel's parameters, with those filled in that the plan knows.
std::vector<char> make_block(const plan::KernelStep& step);

}  // namespace tessera::engine
