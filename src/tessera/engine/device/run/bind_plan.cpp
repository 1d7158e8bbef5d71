// DeviceRunner: plans prepared for the device, each step with its mapping and program.
#include "tessera/engine/device/run/device_runner.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "tessera/codegen/device_parameters.h"
#include "tessera/engine/device/launch/device_mapping.h"
#include "tessera/engine/device/launch/limits.h"
#include "tessera/engine/device/launch/mapped_launch.h"
#include "tessera/engine/device/memory/coherence.h"
#include "tessera/engine/device/run/simulated_device.h"
#include "tessera/engine/support/limits.h"

namespace tessera::engine {

using codegen::DeviceParameters;
using plan::Binding;

namespace {

/// Whether a step of one lane, such as combining a reduction's chunks and what is computed from that, can run as an
/// epilogue in the last block of a launch.
bool may_have_epilogue(const plan::Step& next) {
  const plan::KernelStep& step = next.kernel;
  if (!has_work(step) || !next.copies.empty() || step.work > MappingLimits::epilogue_work) return false;
  if (std::any_of(step.extents.begin(), step.extents.end(), [](int64_t extent) { return extent != 1; })) return false;
  return can_be_epilogue(*step.kernel);
}

/// The kernel of a step in its plan, with the next ones that run as its epilogue.
WantedKernel wanted_in(const plan::Plan& plan, size_t k, const runtime::Device& device) {
  WantedKernel wanted = wanted_kernel(plan.steps[k].kernel, device);
  const DeviceParameters own(*wanted.kernel);
  if (wanted.mapping.team <= 32 || !own.by_value()) return wanted;
  std::vector<std::shared_ptr<const ir::Kernel>>& epilogue = wanted.mapping.epilogue.kernels;
  int64_t bytes = own.epilogue();
  for (size_t next = k + 1; next < plan.steps.size() && epilogue.size() < MappingLimits::most_epilogues &&
                            may_have_epilogue(plan.steps[next]);
       ++next) {
    const std::shared_ptr<const ir::Kernel>& kernel = plan.steps[next].kernel.kernel;
    bytes += DeviceParameters(*kernel).size;
    if (bytes > MappingLimits::parameter_bytes) break;
    epilogue.push_back(kernel);
  }
  return wanted;
}

}  // namespace

int DeviceRunner::count_unready(const plan::Plan& plan, codegen::Compiler* compiler, bool begins) {
  if (device_.takes_ir()) return 0;
  std::vector<uint64_t> seen;
  int count = 0;
  for (size_t k = 0; k < plan.steps.size(); ++k) {
    const plan::KernelStep& step = plan.steps[k].kernel;
    if (!has_work(step)) continue;
    const WantedKernel wanted = wanted_in(plan, k, device_);
    k += wanted.mapping.epilogue.kernels.size();
    if (std::find(seen.begin(), seen.end(), step.kernel_hash) != seen.end()) continue;
    seen.push_back(step.kernel_hash);
    count += !kernels_.is_ready(wanted, compiler, begins ? Making::now : Making::never);
  }
  return count;
}

std::shared_ptr<DevicePlan> DeviceRunner::bind(const plan::Plan& plan, codegen::Compiler* compiler) {
  compiler_ = compiler;
  auto bound = std::make_shared<DevicePlan>();
  bound->is_complete = true;
  bound->number = new_maker();
  std::vector<WantedKernel> wanted;
  for (size_t k = 0; k < plan.steps.size(); ++k) {
    if (!has_work(plan.steps[k].kernel)) continue;
    wanted.push_back(wanted_in(plan, k, device_));
    k += wanted.back().mapping.epilogue.kernels.size();
  }
  kernels_.compile(wanted, compiler);
  auto next = wanted.cbegin();
  for (size_t k = 0; k < plan.steps.size(); ++k) {
    DevicePlan::DeviceStep result;
    const plan::KernelStep& kernel = plan.steps[k].kernel;
    if (has_work(kernel)) {
      const WantedKernel& own = *next++;
      result.takes = own.mapping.epilogue.kernels.size();
      result.mapped = own.mapped;
      result.kernel = &kernels_.find_or_compile(own, compiler);
      bound->is_complete &= result.kernel->program != nullptr;
      result.block = make_block(kernel);
      if (!DeviceParameters(*kernel.kernel).by_value()) {
        result.parameters = bound->parameter_bytes;
        bound->parameter_bytes += static_cast<int64_t>(result.block.size() + 63) / 64 * 64;
      }
      bound->flag_count += static_cast<int64_t>(kernel.flag_nodes.size());
    }
    const size_t last = k + result.takes;
    if (last > k) result.ticket = find_ticket(k);
    bound->steps.push_back(std::move(result));
    while (k < last) {
      const plan::KernelStep& taken = plan.steps[++k].kernel;
      bound->steps.push_back({.is_taken = true, .block = make_block(taken)});
      bound->flag_count += static_cast<int64_t>(taken.flag_nodes.size());
    }
  }
  spread_plan(plan, *bound);
  find_parts(bound->spread ? *bound->spread : plan, *bound, compiler);
  return bound;
}

std::shared_ptr<DevicePlan> DeviceRunner::bind_parts(const plan::Plan& plan, codegen::Compiler* compiler) {
  compiler_ = compiler;
  auto bound = std::make_shared<DevicePlan>();
  bound->is_complete = true;
  bound->number = new_maker();
  std::vector<WantedKernel> wanted;
  for (const plan::Step& step : plan.steps)
    if (has_work(step.kernel)) wanted.push_back(wanted_kernel(step.kernel, device_, LaunchOver::parts));
  kernels_.compile(wanted, compiler);
  auto next = wanted.cbegin();
  for (const plan::Step& step : plan.steps) {
    DevicePlan::DeviceStep result;
    if (has_work(step.kernel)) {
      result.mapped = next->mapped;
      result.kernel = &kernels_.find_or_compile(*next++, compiler);
      bound->is_complete &= result.kernel->program != nullptr;
      result.block = make_block(step.kernel);
      if (!DeviceParameters(*step.kernel.kernel).by_value()) {
        result.parameters = bound->parameter_bytes;
        bound->parameter_bytes += static_cast<int64_t>(result.block.size() + 63) / 64 * 64;
      }
      bound->flag_count += static_cast<int64_t>(step.kernel.flag_nodes.size());
    }
    bound->steps.push_back(std::move(result));
  }
  return bound;
}

/// Independent steps may run concurrently if they do not share memory either.
void DeviceRunner::spread_plan(const plan::Plan& plan, DevicePlan& bound) {
  if (plan.steps.size() < 3 || bound.parameter_bytes > 0) return;
  plan::Plan spread = plan::spread_memory(plan, std::min(device_.facts().cache / 2, device_.capacity() / 64));
  const auto same_block = [](const plan::Slot& a, const plan::Slot& b) { return a.block == b.block; };
  if (!std::equal(plan.slots.begin(), plan.slots.end(), spread.slots.begin(), same_block))
    bound.spread = std::move(spread);
}

void DeviceRunner::find_parts(const plan::Plan& plan, DevicePlan& bound, codegen::Compiler* compiler) {
  for (int32_t k = 0; k < static_cast<int32_t>(plan.steps.size()); ++k) {
    for (int32_t copy = 0; copy < static_cast<int32_t>(plan.steps[k].copies.size()); ++copy)
      bound.parts.push_back(plan::StepPart{k, copy});
    bound.parts.push_back(plan::StepPart{k});
  }
  PlanParts joined = plan::join_moves(plan);
  bound.launches = static_cast<int>(joined.size());
  for (const DevicePlan::DeviceStep& step : bound.steps) bound.launches -= static_cast<int>(step.takes);
  bool has_moves = false, can_move = true;
  for (const plan::PlanPart& part : joined) {
    const auto* set = std::get_if<plan::MoveSet>(&part);
    if (!set) continue;
    has_moves = true;
    const routines::KernelLaunch routine = moves_routine(set->item);
    can_move = can_move && routines_.prepare(std::span(&routine, 1), compiler);
  }
  if (has_moves && can_move) bound.joined = std::move(joined);
}

/// A word that is 0 between launches, in which the blocks of a launch count themselves. Launches that may run
/// concurrently use different words.
const char* DeviceRunner::find_ticket(size_t number) {
  if (!tickets_) {
    tickets_ = device_.allocate(4 * ReplayLimits::tickets);
    device_.stream().fill_zero(tickets_->data(), 4 * ReplayLimits::tickets);
  }
  return tickets_->data() + 4 * (number % ReplayLimits::tickets);
}

void DeviceRunner::renew(const plan::Plan& plan, DevicePlan& bound) {
  for (size_t k = 0; k < bound.steps.size(); ++k)
    if (bound.steps[k].kernel) kernels_.advance(*bound.steps[k].kernel, plan.steps[k].kernel.work);
  kernels_.make_better(compiler_);
  bound.is_settled = true;
  for (size_t k = 0; k < bound.steps.size(); ++k) {
    DevicePlan::DeviceStep& step = bound.steps[k];
    if (!step.kernel) continue;
    bound.is_settled = bound.is_settled && step.kernel->is_settled;
    if (std::exchange(step.program, step.kernel->program.get()) == step.kernel->program.get()) continue;
    step.is_mapped = step.kernel->mapping.mapped;
    if (step.is_mapped && step.program) run_natively(*step.program, compiler_);
    step.grid = step.is_mapped
                    ? grid_of(step.mapped->shape)
                    : choose_grid(step.kernel->mapping, plan.steps[k].kernel.extents, device_.facts().multiprocessors);
    const bool is_one_launch = step.kernel->mapping.epilogue == step.kernel->wanted.mapping.epilogue;
    for (size_t j = 0; j < step.takes; ++j) {
      DevicePlan::DeviceStep& taken = bound.steps[k + 1 + j];
      const DeviceKernel* next = is_one_launch ? nullptr : step.kernel->next[j];
      taken.program = next ? next->program.get() : nullptr;
      if (next)
        taken.grid = choose_grid(next->mapping, plan.steps[k + 1 + j].kernel.extents, device_.facts().multiprocessors);
    }
    bound.replays.forget();
    ++bound.renewals;
  }
}

}  // namespace tessera::engine
