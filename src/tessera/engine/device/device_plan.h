/// DevicePlan: a plan made ready for one device, and what of its runs was written down to be queued again as a whole.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "tessera/engine/device/device_kernels.h"
#include "tessera/engine/device/routines/device_routine.h"
#include "tessera/plan/moves.h"
#include "tessera/plan/plan.h"

namespace tessera::engine {

/// A plan's runs as single launches. Which memory a run has decides which of them it is; its scalars can be changed.
struct Replays {
  struct Known {
    std::vector<uint64_t> places;
    std::vector<uint64_t> scalars;
    std::unique_ptr<runtime::Replay> work;
  };
  std::vector<Known> known;
  std::array<uint64_t, 32> seen{};  // hashes of the places of runs that were queued step by step
  size_t next_seen = 0;
  static constexpr int most_captures = 64;
  int captures_left = most_captures;
  int runs = 0;
  // The plan's own event words, which are the same each time, and who listens to them.
  int64_t first_flag = -1;
  uint64_t collection = 0;
  uint64_t listeners = 0;
};

using PlanParts = std::vector<plan::PlanPart>;

/// The launch that moves boxes of items of this many bytes, but for the boxes.
DeviceRoutine moves_routine(int64_t item);

/// A plan made ready for one device: everything that does not change from one run to the next.
struct DevicePlan {
  struct DeviceStep {
    DeviceKernel* kernel = nullptr;  // null: copies only, nothing to compute, or taken by a step before
    size_t takes = 0;  // its kernel does so many next steps, too, in the same launch where they have no program
    bool is_taken = false;
    const runtime::Program* program = nullptr;  // that the grid is for
    runtime::Grid grid;
    std::vector<char> block;       // the parameters, but for addresses and scalars
    const char* ticket = nullptr;  // in which the blocks of a launch that takes others count themselves
    int64_t parameters = -1;       // where they lie in the plan's memory for those that do not go by value
  };
  std::vector<DeviceStep> steps;
  /// How many next steps the launch of this one does now.
  size_t taken(size_t step) const { return steps[step].takes && !steps[step + 1].program ? steps[step].takes : 0; }
  int64_t flag_count = 0;
  int64_t parameter_bytes = 0;
  std::optional<plan::Plan> spread;  // the same plan in more memory, where that is how it runs here
  PlanParts parts;                   // what is queued, one by one
  PlanParts joined;                  // some of them as one, where views lie as planned; or nothing
  int launches = 0;
  Replays replays;
  bool is_complete = false;  // every kernel has a form for the device
  bool is_settled = false;   // and none waits for a better program
  uint32_t number = 0;       // of all plans; never 0
  int64_t iterations = 0;    // it was asked where to run
};

/// Whether there is anything to compute.
bool has_work(const plan::KernelStep& step);
/// The step's kernel in its best form; where each operand lies `apart`, in memory of its own, one that relies on
/// nothing else.
WantedKernel wanted_kernel(const plan::KernelStep& step, const runtime::Device& device, bool apart = false);
/// The parts of a kernel's parameters that the plan knows.
std::vector<char> make_block(const plan::KernelStep& step);

}  // namespace tessera::engine
