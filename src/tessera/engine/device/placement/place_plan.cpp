#include <algorithm>
#include <utility>

#include "tessera/engine/device/launch/device_mapping.h"
#include "tessera/engine/device/memory/coherence.h"
#include "tessera/engine/device/memory/copy_guard.h"
#include "tessera/engine/device/placement/find_device.h"
#include "tessera/engine/device/placement/place.h"
#include "tessera/engine/device/placement/placer.h"
#include "tessera/engine/device/run/device_plan.h"
#include "tessera/engine/device/run/plan_facts.h"
#include "tessera/engine/support/limits.h"
#include "tessera/engine/support/memory.h"
#include "tessera/engine/support/trace.h"
#include "tessera/mapping/lane_cost.h"
#include "tessera/runtime/host/threads.h"

namespace tessera::engine {

bool is_on_host(const plan::Plan& plan, const plan::Request& request) {
  return std::all_of(plan.slots.begin(), plan.slots.end(), [&](const plan::Slot& slot) {
    if (slot.external.node < 0) return true;
    const graph::Version& version = version_at(request, slot.external);
    return version.data || (!version.on_devices && !version.tiles);
  });
}

plan::PlanCost find_cost(const plan::Plan& plan) {
  plan::PlanCost cost;
  for (const plan::Step& step : plan.steps) {
    if (!step.kernel.kernel) continue;
    int64_t bytes = 0;
    for (const plan::Binding& binding : step.kernel.buffers) {
      int64_t elements = 1;
      for (size_t axis = 0; axis < binding.strides.size(); ++axis)
        if (binding.strides[axis] != 0) elements *= binding.dimensions[axis];
      const size_t k = static_cast<size_t>(&binding - step.kernel.buffers.data());
      bytes += elements * itemsize(step.kernel.kernel->buffers[k].dtype);
    }
    cost.add_kernel(bytes, step.kernel.work * mapping::lane_cost(*step.kernel.kernel));
  }
  cost.kernels = std::max<int64_t>(1, cost.kernels);
  for (const plan::Slot& slot : plan.slots)
    if (slot.external.node < 0 && slot.kept) cost.result_bytes += slot.nbytes;
  return cost;
}

namespace {

/// Bytes copied in both directions when a plan's arrays are streamed through a device.
int64_t bytes_through(const plan::Plan& plan) {
  int64_t nbytes = 0;
  for (const plan::Slot& slot : plan.slots) nbytes += slot.nbytes;
  return nbytes;
}

PlacedOperands find_operands(const plan::Plan& plan, const plan::Request& request) {
  PlacedOperands operands;
  for (const plan::Slot& slot : plan.slots)
    if (slot.external.node >= 0) operands.add(version_at(request, slot.external));
  return operands;
}

/// Whether no write goes to memory that other libraries see, except on this device.
bool may_write(const plan::Request& request, const runtime::Device* lender) {
  for (int i = 0; i < request.size(); ++i) {
    const graph::Node& node = request.node(i);
    if (node.form->pinned && !(lender && node.old->lent && device_of(*node.old) == lender)) return false;
  }
  return true;
}

/// Begins to compile the plan's kernels for the device in the background, once.
void begin_kernels(BoundPlan& plan, DeviceRunner& runner, codegen::Compiler* compiler) {
  if (plan.being_made_for == &runner.device()) return;
  plan.being_made_for = &runner.device();
  runner.count_unready(plan.plan, compiler, true);
}

/// Whether kernels of the loop's other plans, which would run on the device together with this one, are not compiled
/// yet.
bool waits_for_loop(const BoundPlan& plan, const LoopPlans& loop, DeviceRunner& runner, codegen::Compiler* compiler) {
  const std::vector<std::shared_ptr<BoundPlan>> others = loop.beside(plan);
  return std::any_of(others.begin(), others.end(), [&](const auto& other) {
    return other->device != &runner.device() && runner.count_unready(other->plan, compiler, false) > 0;
  });
}

}  // namespace

const plan::MachineFacts& Placer::facts_of(runtime::Device* device) {
  static const plan::MachineFacts usual{.host_bytes = plan::PlacementLimits::bytes_a_thread * runtime::thread_count(),
                                        .host_steps = plan::PlacementLimits::steps_a_thread * runtime::thread_count()};
  if (device && !machine_) {
    machine_ = find_machine_facts(*prepared(*device), options_.cache_folder);
    to_device_alone_ = machine_->to_device;
  }
  // Copies wait for work that is queued, which is not theirs, and find arrays in memory that is not warm, which is.
  if (const double each = device && !device->takes_ir() ? seconds_a_byte_to_device() : 0; each > 0)
    machine_->to_device = std::clamp(1 / each, to_device_alone_ / 2, to_device_alone_ * 2);
  return machine_ ? *machine_ : usual;
}

namespace {

/// The time of a plan not yet measured is estimated from others of its size.
plan::CallCost as_call(plan::PlanCost cost, const plan::MachineFacts& facts) {
  cost.host_runs = 0;
  return {.op = cost.is_small() ? "small plan" : "plan", .host_steps = 1e9 * plan::host_seconds(cost, facts)};
}

}  // namespace

double Placer::host_time(const BoundPlan& bound, const plan::MachineFacts& facts) {
  return bound.cost.host_runs >= plan::PlacementLimits::enough_runs ? bound.cost.measured
                                                                    : calls_.host_time(as_call(bound.cost, facts));
}

void Placer::note_device_time(BoundPlan& bound, runtime::Device& device, std::optional<double> seconds) {
  if (!bound.on_device || bound.device != &device) return;
  if (bound.is_warm && seconds) {
    learn(bound.cost.queued, *seconds);
    bound.cost.queued_runs = std::min(plan::PlacementLimits::enough_runs, bound.cost.queued_runs + 1);
  }
  // Waits are divided by how long the device is busy, which is the model's time and not what queueing took.
  plan::PlanCost busy = bound.cost;
  busy.queued_runs = 0, busy.device_runs = 0;
  note_queued(bound.on_device->number, plan::device_seconds(busy, facts_of(&device)));
}

bool Placer::is_timed(BoundPlan& bound, const runtime::Device* device, const ThreadDevices& window) const {
  using Limits = plan::PlacementLimits;
  if (!window.may_choose() || (bound.stays_on_host && !device_has_results_)) return false;
  const bool is_known = (device ? bound.cost.queued_runs : bound.cost.host_runs) >= Limits::enough_runs;
  const double known = device ? bound.cost.queued : bound.cost.measured;
  if (!is_known || (!bound.stays_on_host && known >= Limits::quick_seconds)) return true;
  if (++bound.repeats.untimed < (bound.stays_on_host ? Limits::untimed_runs : Limits::unmeasured_runs)) return false;
  bound.repeats.untimed = 0;
  return true;
}

void Placer::note_call(const plan::CallCost& cost, double seconds, runtime::Device* device) {
  if (device)
    calls_.note_device(cost, seconds, facts_of(device));
  else
    calls_.note_host(cost, seconds);
}

void Placer::note_host_time(BoundPlan& bound, double seconds) {
  learn(bound.cost.measured, seconds);
  bound.cost.host_runs = std::min(plan::PlacementLimits::enough_runs, bound.cost.host_runs + plan::runs_known(seconds));
  if (bound.cost.kernels > 0) calls_.note_host(as_call(bound.cost, facts_of(nullptr)), seconds);
}

double Placer::time_to_make(BoundPlan& bound, const ThreadDevices& window, runtime::Device* device,
                            const PlacedOperands& operands) {
  const plan::MachineFacts& facts = facts_of(device);
  if (!device) return facts.open + facts.compile;
  DeviceRunner& runner = runners_.of(*device);
  codegen::Compiler* compiler = runners_.compiler_for(*device);
  if (bound.device != device && bound.ready_for != device) {
    if (const int64_t count = runner.count_unready(bound.plan, compiler, false))
      return facts.compile * static_cast<double>(count);
    bound.ready_for = device;
  }
  // Alone on the device, the arrays that it shares with the other plans of its loop would be copied in every iteration.
  return operands.only_on_host() > 0 && waits_for_loop(bound, window.loop_plans, runner, compiler) ? facts.compile : 0;
}

void Placer::get_ready(BoundPlan& bound, const ThreadDevices& window, runtime::Device* device) {
  if (!kernels_.opens_in_background()) return;
  if (!device) return window.choice->open(true);
  codegen::Compiler* compiler = runners_.compiler_for(*device);
  begin_kernels(bound, runners_.of(*device), compiler);
  for (const auto& other : window.loop_plans.beside(bound)) begin_kernels(*other, runners_.of(*device), compiler);
}

void Placer::note_results(const BoundPlan& bound, const plan::Request& request, bool on_device) {
  for (int i = 0; i < request.size(); ++i) {
    const graph::Node& node = request.node(i);
    graph::Version& out = *node.out;
    out.working_set = bound.working_set, out.was_placed = true;
    const auto follow = [&](const graph::Version* from) {
      out.stays |= on_device && from && (from->lent || from->stays);
    };
    follow(node.old.get());
    for (int k = 0; k < node.form->input_count; ++k) follow(node.inputs[k].version.get());
  }
}

namespace {

/// Of several equal devices that are set for the window.
runtime::Device* choose_equal(BoundPlan& bound, const plan::Request& request, ThreadDevices& window) {
  SmallVector<const graph::Version*, 16> operands;
  for (const plan::Slot& slot : bound.plan.slots)
    if (slot.external.node >= 0) operands.push_back(&version_at(request, slot.external));
  measure(bound, request);
  return window.target_for(operands, bound.plan_bytes);
}

}  // namespace

namespace {

/// Whether the plan, weighed a few runs ago, may run once more where it ran: all that it reads is there and of its set.
bool may_repeat(const BoundPlan& bound, const plan::Request& request, const ThreadDevices& window) {
  if (bound.repeats.left == 0 || Trace::active()) return false;
  const runtime::Device* device = bound.repeats.on_device;
  const DeviceSet* open = window.choice->devices();
  if (device && (!open || open->usable() != device || bound.device != device || !bound.on_device->can_run()))
    return false;
  return std::ranges::all_of(bound.plan.slots, [&](const plan::Slot& slot) {
    if (slot.external.node < 0) return true;
    const graph::Version& version = version_at(request, slot.external);
    if (version.working_set != bound.working_set || version.lent || version.stays || version.foreign) return false;
    return device ? version.on_devices != nullptr : version.data != nullptr;
  });
}

runtime::Device* repeat(BoundPlan& bound) {
  --bound.repeats.left, ++bound.repeats.unweighed;
  bound.is_warm = bound.repeats.on_device != nullptr;
  if (bound.is_warm) ++bound.on_device->iterations;
  return bound.repeats.on_device;
}

/// The time that the host waited after earlier runs is expected again.
void expect_wait(BoundPlan& bound) {
  int64_t& runs = bound.on_device->iterations;
  if (runs >= plan::PlacementLimits::remembered_runs) runs /= 2, forget_half(bound.on_device->number);
  bound.cost.device_runs = runs;
  bound.cost.waited = runs > 0 ? seconds_waited_for(bound.on_device->number) / static_cast<double>(runs) : 0;
}

}  // namespace

runtime::Device* Placer::place_plan(const std::shared_ptr<BoundPlan>& plan, const plan::Request& request,
                                    ThreadDevices& window) {
  if (!window.choice) {
    if (is_all_elements_of_host(request)) return nullptr;
    return window.has_several() ? choose_equal(*plan, request, window) : window.target();
  }
  return window.choice->is_missing() ? nullptr : choose_for_plan(plan, request, window);
}

runtime::Device* Placer::open_for(const ThreadDevices& window, runtime::Device* device) {
  if (!device) {
    window.choice->open(false);
    device = window.choice->device();
  }
  if (!device) return nullptr;
  device_has_results_ = true;
  return prepared(*device);
}

runtime::Device* Placer::choose_for_plan(const std::shared_ptr<BoundPlan>& plan, const plan::Request& request,
                                         ThreadDevices& window) {
  BoundPlan& bound = *plan;
  if (may_repeat(bound, request, window)) return repeat(bound);
  bound.is_warm = false;
  if (bound.large) window.loop_plans.note(plan);
  if (bound.cost.kernels == 0) bound.cost = find_cost(bound.plan);
  bound.stays_on_host = bound.cost.is_small() && (!device_has_results_ || is_on_host(bound.plan, request));
  if (bound.stays_on_host) return nullptr;
  DeviceSet* open = window.choice->devices();
  if (open && !open->usable()) return nullptr;
  const plan::MachineFacts& facts = facts_of(open ? open->usable() : nullptr);
  PlacedOperands operands = find_operands(bound.plan, request);
  runtime::Device* lender = operands.lender();
  if (!may_write(request, lender)) return nullptr;
  // Arrays that other libraries see on a device stay there, and so do the results.
  if (lender) {
    const bool is_known = bound.turn_to(*lender);
    if (!lender->is_usable() || (is_known && !bound.on_device->can_run())) return nullptr;
    if (is_known) ++bound.on_device->iterations;
    return lender;
  }
  DeviceSet::Chosen chosen;
  if (open) {
    measure(bound, request);
    chosen = open->choose(operands.versions(), bound.plan_bytes);
    const bool may_move = copy_guard().to_device != CopyRule::error || operands.only_on_host() == 0;
    if (bound.most_node_bytes > chosen.device->capacity())
      return may_move && plan::repays_the_bus(bound.cost, bytes_through(bound.plan), facts) ? chosen.device : nullptr;
  }
  runtime::Device* device = chosen.device;
  const bool is_known = device && bound.turn_to(*device);
  if (is_known) {
    if (!bound.on_device->can_run()) return nullptr;
    expect_wait(bound);
  }
  const plan::Placement placed = choose({.key = reinterpret_cast<uintptr_t>(&bound),
                                         .host = host_time(bound, facts),
                                         .device = plan::device_seconds(bound.cost, facts),
                                         .host_error = plan::error_after(bound.cost.host_runs),
                                         .device_error = plan::error_after(bound.cost.queued_runs),
                                         .making = time_to_make(bound, window, device, operands),
                                         .times = 1 + std::exchange(bound.repeats.unweighed, 0),
                                         .in_background = kernels_.opens_in_background(),
                                         .result_bytes = bound.cost.result_bytes},
                                        operands, device, window);
  bound.working_set = placed.set;
  if (placed.gets_ready) get_ready(bound, window, device);
  device = placed.on_device ? open_for(window, device) : nullptr;
  if (open && device) open->take_turn(chosen);
  if (is_known && device) ++bound.on_device->iterations;
  if (!is_known && device && !device->takes_ir()) note_first_run(facts.compile);
  if (is_known && !device) forget_some(bound.on_device->number);
  bound.is_warm = device && is_known && operands.only_on_host() == 0;
  bound.repeats.left = open && open->is_one() && is_known && !request.pinned ? placed.repeats : 0;
  bound.repeats.on_device = device;
  return device;
}

}  // namespace tessera::engine
