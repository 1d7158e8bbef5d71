// DeviceRunner's replays: runs of a plan captured as a single launch.
#include "tessera/engine/device/memory/plan_memory.h"
#include "tessera/engine/device/run/device_runner.h"
#include "tessera/engine/device/run/part_order.h"

namespace tessera::engine {

using plan::Binding;

/// The addresses that a run uses.
static std::vector<uint64_t> places_of(const plan::Plan& plan, const plan::Request& request, const auto& memory) {
  std::vector<uint64_t> places;
  for (const plan::Step& step : plan.steps) {
    for (const plan::CopyStep& copy : step.copies) {
      places.push_back(reinterpret_cast<uint64_t>(memory.data(copy.from)));
      places.push_back(reinterpret_cast<uint64_t>(memory.data(copy.to)));
      places.push_back(static_cast<uint64_t>(request.node(copy.node).offset));
    }
    for (const Binding& binding : step.kernel.buffers)
      places.push_back(reinterpret_cast<uint64_t>(memory.data(binding.slot) + offset_of(binding, request)));
  }
  return places;
}

/// Independent parts of a captured run are queued side by side.
void DeviceRunner::queue_or_replay(const plan::Plan& plan, DevicePlan& bound, const PlanParts& parts,
                                   const plan::Request& request, PlanMemory& memory, int64_t flag) {
  const auto work = [&] { queue(plan, bound, parts, request, memory, flag); };
  const auto write = [&] {
    const Unchanged<bool> nothing_queued(has_launched_);
    work();
  };
  const auto capture = [&] {
    std::vector<std::vector<Touched>> touched;
    for (const plan::PlanPart& part : parts) touched.push_back(find_touched(plan, bound, part, request, memory));
    return device_.stream().capture(write, order_parts(touched, device_.facts().cache / 8));
  };
  bound.replays.run(device_.stream(), {places_of(plan, request, memory), scalars_of(plan, request)}, work, write,
                    capture);
}

}  // namespace tessera::engine
