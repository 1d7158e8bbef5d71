#include <algorithm>

#include "tessera/engine/device/launch/device_mapping.h"
#include "tessera/engine/device/memory/coherence.h"
#include "tessera/engine/device/memory/copy_guard.h"
#include "tessera/engine/device/placement/credits.h"
#include "tessera/engine/device/placement/find_device.h"
#include "tessera/engine/device/placement/place.h"
#include "tessera/engine/device/placement/plan_facts.h"
#include "tessera/engine/device/run/device_plan.h"
#include "tessera/engine/limits.h"
#include "tessera/engine/memory.h"
#include "tessera/engine/state.h"
#include "tessera/runtime/host/threads.h"

namespace tessera {

bool engine::is_on_host(const plan::Plan& plan, const plan::Request& request) {
  return std::all_of(plan.slots.begin(), plan.slots.end(), [&](const plan::Slot& slot) {
    if (slot.external.node < 0) return true;
    const graph::Version& version = version_at(request, slot.external);
    return version.data || !version.on_devices;
  });
}

void engine::pass_credit_on(const plan::Request& request, bool on_device) {
  for (int i = 0; i < request.size(); ++i) {
    const graph::Node& node = request.node(i);
    graph::Version& out = *node.out;
    if (node.old) inherit(out, *node.old, on_device);  // first: an array that is written keeps its origin
    for (int k = 0; k < node.form->input_count; ++k)
      if (node.inputs[k].version) inherit(out, *node.inputs[k].version, on_device);
  }
}

engine::PlanCost engine::find_cost(const plan::Plan& plan) {
  PlanCost cost;
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
    cost.add_kernel(bytes, step.kernel.work * engine::lane_cost(*step.kernel.kernel));
  }
  cost.kernels = std::max<int64_t>(1, cost.kernels);
  return cost;
}

namespace {

/// Bytes copied in both directions when a plan's arrays are streamed through a device.
int64_t bytes_through(const plan::Plan& plan) {
  int64_t nbytes = 0;
  for (const plan::Slot& slot : plan.slots) nbytes += slot.nbytes;
  return nbytes;
}

engine::OperandCredits find_stakes(const plan::Plan& plan, const plan::Request& request, engine::Origins& origins,
                                   const engine::MachineFacts& facts) {
  engine::OperandCredits stakes(origins, facts);
  for (const plan::Slot& slot : plan.slots)
    if (slot.external.node >= 0) stakes.add(engine::version_at(request, slot.external));
  return stakes;
}

/// Whether no write goes to memory that other libraries see, except on this device.
bool may_write(const plan::Request& request, const runtime::Device* lender) {
  for (int i = 0; i < request.size(); ++i) {
    const graph::Node& node = request.node(i);
    if (node.form->pinned && !(lender && node.old->lent && engine::device_of(*node.old) == lender)) return false;
  }
  return true;
}

/// Begins to compile the plan's kernels for the device in the background, once.
void begin_kernels(engine::BoundPlan& plan, engine::DeviceRunner& runner, codegen::Compiler* compiler) {
  if (plan.being_made_for == &runner.device()) return;
  plan.being_made_for = &runner.device();
  runner.count_unready(plan.plan, compiler, true);
}

/// Whether kernels of the loop's other plans, which would run on the device together with this one, are not compiled
/// yet.
bool waits_for_loop(const engine::BoundPlan& plan, const engine::LoopPlans& loop, engine::DeviceRunner& runner,
                    codegen::Compiler* compiler) {
  const std::vector<std::shared_ptr<engine::BoundPlan>> others = loop.beside(plan);
  return std::any_of(others.begin(), others.end(), [&](const auto& other) {
    return other->device != &runner.device() && runner.count_unready(other->plan, compiler, false) > 0;
  });
}

}  // namespace

const engine::MachineFacts& engine::State::facts_of(runtime::Device* device) {
  static const engine::MachineFacts usual{
      .host_bytes = engine::PlacementLimits::bytes_a_thread * runtime::thread_count(),
      .host_steps = engine::PlacementLimits::steps_a_thread * runtime::thread_count()};
  if (device && !machine) {
    machine = engine::find_machine_facts(*engine::prepared(*device), options.cache_folder);
    to_device_alone = machine->to_device;
  }
  // Copies wait for work that is queued, which is not theirs, and find arrays in memory that is not warm, which is.
  if (const double each = device && !device->takes_ir() ? engine::seconds_a_byte_to_device() : 0; each > 0)
    machine->to_device = std::clamp(1 / each, to_device_alone / 3, to_device_alone * 2);
  return machine ? *machine : usual;
}

namespace {

/// The time of a plan not yet measured is estimated from others of its size.
engine::CallCost as_call(engine::PlanCost cost, const engine::MachineFacts& facts) {
  cost.host_runs = 0;
  return {.op = cost.is_small() ? "small plan" : "plan", .host_steps = 1e9 * host_seconds(cost, facts)};
}

}  // namespace

double engine::State::host_time(const engine::BoundPlan& bound, const engine::MachineFacts& facts) {
  return bound.cost.host_runs >= engine::PlacementLimits::enough_runs ? bound.cost.measured
                                                                      : calls.host_time(as_call(bound.cost, facts));
}

void engine::State::note_device_time(engine::BoundPlan& bound, runtime::Device& device, double seconds) {
  if (!bound.on_device || bound.device != &device) return;
  if (bound.is_warm) {
    engine::learn(bound.cost.queued, seconds);
    bound.cost.queued_runs = std::min(engine::PlacementLimits::enough_runs, bound.cost.queued_runs + 1);
  }
  // Waits are divided by how long the device is busy, which is the model's time and not what queueing took.
  engine::PlanCost busy = bound.cost;
  busy.queued_runs = 0, busy.device_runs = 0;
  engine::note_queued(bound.on_device->number, device_seconds(busy, facts_of(&device)));
}

void engine::State::note_host_time(engine::BoundPlan& bound, double seconds) {
  engine::learn(bound.cost.measured, seconds);
  bound.cost.host_runs =
      std::min(engine::PlacementLimits::enough_runs, bound.cost.host_runs + engine::runs_known(seconds));
  if (bound.cost.kernels > 0) calls.note_host(as_call(bound.cost, facts_of(nullptr)), seconds);
}

double engine::State::time_to_make(engine::BoundPlan& bound, engine::Recorder& window, runtime::Device* device,
                                   const engine::OperandCredits& operands) {
  const engine::MachineFacts& facts = facts_of(device);
  if (!device) return facts.open + facts.compile;
  engine::DeviceRunner& runner = runner_of(*device);
  codegen::Compiler* compiler = device->takes_ir() ? nullptr : kernels.compiler();
  if (bound.device != device && bound.ready_for != device) {
    if (const int64_t count = runner.count_unready(bound.plan, compiler, false))
      return facts.compile * static_cast<double>(count);
    bound.ready_for = device;
  }
  // Alone on the device, the arrays that it shares with the other plans of its loop would be copied in every iteration.
  return operands.only_on_host() > 0 && waits_for_loop(bound, window.loop_plans, runner, compiler) ? facts.compile : 0;
}

void engine::State::get_ready(engine::BoundPlan& bound, engine::Recorder& window, runtime::Device* device) {
  if (!kernels.opens_in_background()) return;
  if (!device) return window.choice->open(true);
  codegen::Compiler* compiler = device->takes_ir() ? nullptr : kernels.compiler();
  begin_kernels(bound, runner_of(*device), compiler);
  for (const auto& other : window.loop_plans.beside(bound)) begin_kernels(*other, runner_of(*device), compiler);
}

bool engine::State::opens_early(double gain, engine::Prospect& prospect) {
  if (gain <= 0 || prospect.device()) return false;
  opening_regret.seconds += gain;
  return opening_regret.seconds >= engine::PlacementLimits::early * facts_of(nullptr).open;
}

runtime::Device* engine::State::place_plan(const std::shared_ptr<engine::BoundPlan>& plan, const plan::Request& request,
                                           engine::Recorder& window) {
  if (!window.choice) {
    if (engine::is_all_elements_of_host(request)) return nullptr;
    return window.has_several() ? choose_equal_for_plan(*plan, request, window) : window.target();
  }
  return window.choice->is_missing() ? nullptr : choose_for_plan(plan, request, window);
}

runtime::Device* engine::State::choose_equal_for_plan(engine::BoundPlan& bound, const plan::Request& request,
                                                      engine::Recorder& window) {
  SmallVector<const graph::Version*, 16> operands;
  for (const plan::Slot& slot : bound.plan.slots)
    if (slot.external.node >= 0) operands.push_back(&engine::version_at(request, slot.external));
  engine::measure(bound, request);
  return window.target_for(operands, bound.plan_bytes);
}

runtime::Device* engine::State::choose_for_plan(const std::shared_ptr<engine::BoundPlan>& plan,
                                                const plan::Request& request, engine::Recorder& window) {
  engine::BoundPlan& bound = *plan;
  bound.is_warm = false;
  if (bound.large) window.loop_plans.note(plan);
  if (bound.cost.kernels == 0) bound.cost = engine::find_cost(bound.plan);
  bound.stays_on_host = bound.cost.is_small() && (!device_has_results || engine::is_on_host(bound.plan, request));
  if (bound.stays_on_host) return nullptr;
  runtime::Device* device = window.choice->device();
  if (device && !device->is_usable()) return nullptr;
  const engine::MachineFacts& facts = facts_of(device);
  engine::OperandCredits stakes = find_stakes(bound.plan, request, origins, facts);
  runtime::Device* lender = stakes.lender();
  if (!may_write(request, lender)) return nullptr;
  // Arrays that other libraries see on a device stay there, and so do the results.
  if (lender) {
    const bool is_known = bound.device == lender;
    if (!lender->is_usable() || (is_known && !bound.on_device->is_complete)) return nullptr;
    if (is_known) ++bound.on_device->iterations;
    return lender;
  }
  if (device) {
    engine::measure(bound, request);
    const bool may_move = engine::copy_guard().to_device != engine::CopyRule::error || stakes.only_on_host() == 0;
    if (bound.most_node_bytes > device->capacity())
      return may_move && engine::repays_the_bus(bound.cost, bytes_through(bound.plan), facts) ? device : nullptr;
  }
  const bool is_known = device && bound.device == device;
  if (is_known) {
    if (!bound.on_device->is_complete) return nullptr;
    // The time that the host waited after earlier runs is expected again.
    int64_t& runs = bound.on_device->iterations;
    if (runs >= engine::PlacementLimits::remembered_runs) runs /= 2, engine::forget_half(bound.on_device->number);
    bound.cost.device_runs = runs;
    bound.cost.waited = runs > 0 ? engine::seconds_waited_for(bound.on_device->number) / static_cast<double>(runs) : 0;
  }
  const engine::Work work{.operands = stakes,
                          .host = host_time(bound, facts),
                          .device = device_seconds(bound.cost, facts),
                          .regret = bound.regret,
                          .making = [&](runtime::Device* on) { return time_to_make(bound, window, on, stakes); },
                          .get_ready = [&](runtime::Device* on) { get_ready(bound, window, on); }};
  device = choose(work, window);
  if (is_known && device) ++bound.on_device->iterations;
  if (is_known && !device) engine::forget_some(bound.on_device->number);
  bound.is_warm = device && is_known && stakes.only_on_host() == 0;
  return device;
}

}  // namespace tessera
