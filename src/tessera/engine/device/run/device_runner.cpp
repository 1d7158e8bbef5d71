#include "tessera/engine/device/run/device_runner.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "tessera/codegen/device_parameters.h"
#include "tessera/engine/device/launch/device_mapping.h"
#include "tessera/engine/device/launch/mapped_launch.h"
#include "tessera/engine/device/memory/coherence.h"
#include "tessera/engine/device/memory/plan_memory.h"
#include "tessera/engine/support/limits.h"
#include "tessera/engine/support/memory.h"
#include "tessera/profile/counters.h"

namespace tessera::engine {

using codegen::DeviceParameters;
using graph::Node;
using graph::Version;
using plan::Binding;
using plan::NodeRef;
using runtime::Buffer;

namespace {

void put(std::vector<char>& block, int64_t offset, const void* from, size_t nbytes) {
  std::memcpy(block.data() + offset, from, nbytes);
}

/// Fills in the addresses and scalars of this run.
std::vector<char> fill_block(const plan::KernelStep& step, const DevicePlan::DeviceStep& bound,
                             const plan::Request& request, const auto& memory, const char* flags) {
  const DeviceParameters at(*step.kernel);
  std::vector<char> block = bound.block;
  put(block, at.flags, &flags, 8);
  for (size_t k = 0; k < step.buffers.size(); ++k) {
    const char* address = memory.data(step.buffers[k].slot) + offset_of(step.buffers[k], request);
    put(block, at.buffers + 8 * static_cast<int64_t>(k), &address, 8);
  }
  for (size_t k = 0; k < step.scalars.size(); ++k) {
    const NodeRef& from = step.scalars[k];
    put(block, at.scalars + 16 * static_cast<int64_t>(k), request.node(from.node).inputs[from.input].scalar, 16);
  }
  return block;
}

/// Whether views have the offsets for which the plan was made, and no array overlaps another.
bool lies_as_planned(const plan::Plan& plan, const plan::Request& request, const auto& memory) {
  for (const plan::Step& step : plan.steps) {
    for (const plan::CopyStep& copy : step.copies)
      if (request.node(copy.node).offset != copy.offset) return false;
    for (const Binding& binding : step.kernel.buffers)
      if (offset_of(binding, request) != binding.offset) return false;
  }
  for (size_t a = 0; a < plan.slots.size(); ++a) {
    for (size_t b = 0; b < a; ++b) {
      if (plan.slots[a].external.node < 0 || plan.slots[b].external.node < 0) continue;
      const Buffer &x = *memory.buffer(static_cast<int32_t>(a)), &y = *memory.buffer(static_cast<int32_t>(b));
      if (x.data() < y.data() + y.nbytes() && y.data() < x.data() + x.nbytes()) return false;
    }
  }
  return true;
}

/// The memory of a step's operands, by the slots that they are bound to.
struct Addresses {
  const plan::KernelStep& step;
  std::span<char* const> of_operands;
  char* data(int32_t slot) const {
    size_t k = 0;
    while (step.buffers[k].slot != slot) ++k;
    return of_operands[k];
  }
};

}  // namespace

DeviceRunner::DeviceRunner(runtime::Device& device)
    : device_(device), kernels_(device), routines_(device, kernels_), copies_(device, routines_), events_(device) {}

bool DeviceRunner::waits() {
  static const bool is_asked = [] {
    const char* text = std::getenv("TESSERA_DEVICE_WAIT");
    return text && *text && std::strcmp(text, "0") != 0;
  }();
  return is_asked;
}

/// A double-buffered reduction may begin while the one before it ends: it first reads its operand, which the earlier
/// one must not write. All other launches and requests to the stream run after it has completed.
runtime::Begin DeviceRunner::order_reduction(const plan::Plan& plan, const DevicePlan& bound, size_t k,
                                             const PlanMemory& memory) {
  const DeviceKernel* kernel = bound.steps[k].kernel;
  if (!kernel || !kernel->mapping.double_buffered) return runtime::Begin::in_order;
  bool is_early = codegen::can_begin_early(kernel->mapping) && last_reduction_.requests == device_.stream().requests();
  std::vector<const Buffer*> written;
  for (size_t next = k; next <= k + bound.taken(k); ++next) {
    const plan::KernelStep& step = plan.steps[next].kernel;
    for (size_t b = 0; b < step.buffers.size(); ++b) {
      const Buffer* buffer = memory.buffer(step.buffers[b].slot).get();
      if (step.kernel->buffers[b].writable)
        written.push_back(buffer);
      else if (next == k)
        is_early = is_early && last_reduction_.leaves(*buffer);
    }
  }
  last_reduction_ = {.requests = device_.stream().requests() + 1};
  for (const Buffer* buffer : written)
    last_reduction_.written.push_back({buffer->data(), buffer->data() + buffer->nbytes()});
  if (!is_early) return runtime::Begin::in_order;
  profile::add(profile::Counter::device_early_launches);
  return runtime::Begin::early;
}

void DeviceRunner::launch(const DevicePlan::DeviceStep& bound, std::span<const char> block, char* place,
                          runtime::Begin begin) {
  profile::add(profile::Counter::device_launches);
  if (place) {
    device_.stream().copy_in(place, block.data(), block.size());
    block = std::span(reinterpret_cast<const char*>(&place), sizeof place);
    begin = runtime::Begin::in_order;
  }
  device_.stream().launch(*bound.program, bound.grid, block, begin);
  has_launched_ = true;
}

void DeviceRunner::queue(const plan::Plan& plan, const DevicePlan& bound, const PlanParts& parts,
                         const plan::Request& request, PlanMemory& memory, int64_t flag) {
  Ref<Buffer> parameters;
  if (bound.parameter_bytes > 0) parameters = device_.allocate(static_cast<size_t>(bound.parameter_bytes));
  const auto copy = [&](const plan::CopyStep& copy) {
    has_launched_ = true;  // of several boxes the first ones may be copied when another fails
    copies_.copy(memory.data(copy.from), memory.data(copy.to), boxes_for(copy, request), compiler_);
  };
  const auto take_flags = [&](const plan::KernelStep& step) -> const char* {
    const int64_t first = std::exchange(flag, flag + static_cast<int64_t>(step.flag_nodes.size()));
    return step.flag_nodes.empty() ? nullptr : events_.address(first);
  };
  const auto run_kernel = [&](size_t k) {
    const plan::KernelStep& step = plan.steps[k].kernel;
    if (!bound.steps[k].program) return;
    const int64_t place = bound.steps[k].parameters;
    std::vector<char> block = fill_block(step, bound.steps[k], request, memory, take_flags(step));
    if (const size_t taken = bound.taken(k)) {
      const char* ticket = bound.steps[k].ticket;
      block.insert(block.end(), reinterpret_cast<const char*>(&ticket), reinterpret_cast<const char*>(&ticket + 1));
      for (size_t next = k + 1; next <= k + taken; ++next) {
        const std::vector<char> its = fill_block(plan.steps[next].kernel, bound.steps[next], request, memory,
                                                 take_flags(plan.steps[next].kernel));
        block.insert(block.end(), its.begin(), its.end());
      }
    }
    if (bound.steps[k].is_mapped)
      block = mapped_block(*bound.steps[k].mapped, bound.steps[k].mapped->shape, *step.kernel, block);
    launch(bound.steps[k], block, place < 0 ? nullptr : parameters->data() + place,
           order_reduction(plan, bound, k, memory));
  };
  for (const plan::PlanPart& part : parts) {
    device_.stream().begin_part();
    if (const auto* set = std::get_if<plan::MoveSet>(&part)) {
      copies_.move(*set, request, [&](int32_t slot) { return memory.data(slot); }, compiler_);
      has_launched_ = true;
      continue;
    }
    const auto [k, of] = std::get<plan::StepPart>(part);
    if (of >= 0)
      copy(plan.steps[static_cast<size_t>(k)].copies[static_cast<size_t>(of)]);
    else
      run_kernel(static_cast<size_t>(k));
  }
}

void DeviceRunner::run(const plan::Plan& given, DevicePlan& bound, const plan::Request& request, RunWindow& window) {
  profile::add(profile::Counter::device_windows);
  const plan::Plan& plan = bound.spread ? *bound.spread : given;
  if (!bound.is_settled) renew(plan, bound);
  // All memory is allocated before the first step runs: a run that does not fit has no effect.
  PlanMemory memory(plan, request, device_);
  const uint64_t collections = events_.collections();
  events_.reserve(bound.flag_count);
  const bool may_replay =
      bound.parameter_bytes == 0 && bound.replays.is_worth_it(bound.launches) && events_.reserve_own(bound);
  const int64_t flag = events_.watch(plan, bound, request, window);
  note_answers(collections);
  note_work(request, window);
  const PlanParts& parts = !bound.joined.empty() && lies_as_planned(plan, request, memory) ? bound.joined : bound.parts;
  has_launched_ = false;
  try {
    if (may_replay) {
      queue_or_replay(plan, bound, parts, request, memory, flag);
    } else {
      queue(plan, bound, parts, request, memory, flag);
    }
  } catch (...) {
    window.has_begun = has_launched_;
    throw;
  }
  if (waits()) {
    device_.stream().synchronize();
    answered_ = queued_;
  }
  note_large_results(plan, request);
  for (int i = 0; i < request.size(); ++i) {
    Version& out = *request.node(i).out;
    out.window = nullptr;
    const int32_t slot = plan.result_slots[i];
    if (slot >= 0) set_device_buffer(out, memory.buffer(slot));
    out.maker = bound.number;
    if (const Version* old = request.node(i).old.get()) out.lent = old->lent && request.node(i).form->pinned;
  }
}

DeviceRunner::PartsRun DeviceRunner::begin_parts(const plan::Plan& plan, DevicePlan& bound,
                                                 const plan::Request& request, RunWindow& window, bool repeats) {
  if (!bound.is_settled) renew(plan, bound);
  PartsRun run;
  if (bound.parameter_bytes > 0) run.parameters = device_.allocate(static_cast<size_t>(bound.parameter_bytes));
  const uint64_t collections = events_.collections();
  events_.reserve(bound.flag_count);
  run.has_own_events = repeats && events_.reserve_own(bound);
  run.flag = events_.watch(plan, bound, request, window);
  note_answers(collections);
  return run;
}

void DeviceRunner::launch_part(const plan::Plan& plan, const DevicePlan& bound, const plan::Request& request,
                               const StepPart& part) {
  const auto k = static_cast<size_t>(part.step);
  const plan::KernelStep& step = plan.steps[k].kernel;
  DevicePlan::DeviceStep its = bound.steps[k];
  int64_t flag = part.run->flag;
  for (size_t before = 0; before < k; ++before)
    if (bound.steps[before].kernel) flag += static_cast<int64_t>(plan.steps[before].kernel.flag_nodes.size());
  const DeviceParameters at(*step.kernel);
  std::vector<char> block = fill_block(step, its, request, Addresses{step, part.addresses},
                                       step.flag_nodes.empty() ? nullptr
                                       : part.is_repeated      ? events_.unread(flag, step.flag_nodes.size())
                                                               : events_.address(flag));
  if (!step.extents.empty()) {
    put(block, at.begin, &part.begin, 8);
    put(block, at.end, &part.end, 8);
    if (!its.is_mapped) {
      Dims extents = step.extents;
      extents[0] = part.end - part.begin;
      its.grid = choose_grid(its.kernel->mapping, extents, device_.facts().multiprocessors);
    }
  }
  if (its.is_mapped) {
    const mapping::LaunchShape shape = mapping::shape_of_part(*its.mapped, part.end - part.begin);
    its.grid = grid_of(shape);
    block = mapped_block(*its.mapped, shape, *step.kernel, block);
  }
  launch(its, block, its.parameters < 0 ? nullptr : part.run->parameters->data() + its.parameters,
         runtime::Begin::in_order);
}

void DeviceRunner::note_work(const plan::Request& request, const RunWindow& window) {
  const int first = std::max(0, request.size() - static_cast<int>(work_.size()));
  queued_ += static_cast<uint64_t>(first);
  for (int i = first; i < request.size(); ++i) {
    const Node& node = request.node(i);
    work_[queued_++ % work_.size()] = {node.form, node.site, {}, window.task};
  }
}

void DeviceRunner::collect_events() {
  const uint64_t before = events_.collections();
  events_.collect();
  note_answers(before);
}

void DeviceRunner::copy_to_host(Version& version, const UnlockHooks& hooks) {
  std::vector<uint32_t> words;
  const std::vector<runtime::CopyOut> pieces = events_.pieces(words);
  const uint64_t queued = queued_, collection = events_.collections();
  const bool has_pieces = engine::copy_to_host(version, hooks, pieces) || pieces.empty();
  // While the lock was free, other threads may have queued work that shares the words, or collected the events.
  if (!has_pieces || queued != queued_ || collection != events_.collections()) return collect_events();
  answered_ = queued_;
  if (events_.has_watches()) events_.hand_out(words);
}

DeviceRunner::Queued DeviceRunner::mark() {
  Queued queued{.number = queued_};
  if (!device_.is_usable() || device_.takes_ir()) return queued;
  try {
    queued.point = device_.stream().record();
  } catch (const runtime::DeviceFailure&) {  // whoever waits is told
  }
  return queued;
}

void DeviceRunner::wait_for(const Queued& queued, const UnlockHooks& hooks) {
  if (device_.is_usable()) {
    runtime::Stream& stream = device_.stream();
    try {
      if (!queued.point) {
        stream.synchronize();  // which computes, for the engine
      } else if (!queued.point->is_done()) {
        const Unlocked unlocked(hooks);
        queued.point->wait();
      }
    } catch (const runtime::DeviceFailure&) {
      stream.synchronize();  // which notes the failure
      throw;
    }
    answered_ = std::max(answered_, queued.number);
  }
  collect_events();
}

std::vector<DeviceRunner::Work> DeviceRunner::unanswered() const {
  std::vector<Work> work;
  const uint64_t kept = std::min<uint64_t>(queued_ - answered_, work_.size());
  for (uint64_t k = queued_ - kept; k < queued_; ++k) work.push_back(work_[k % work_.size()]);
  return work;
}

}  // namespace tessera::engine
