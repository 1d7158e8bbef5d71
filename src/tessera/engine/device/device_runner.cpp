#include "tessera/engine/device/device_runner.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <utility>

#include "tessera/base/hash.h"
#include "tessera/codegen/device_parameters.h"
#include "tessera/engine/device/coherence.h"
#include "tessera/engine/device/launch_form.h"
#include "tessera/engine/memory.h"
#include "tessera/plan/moves.h"
#include "tessera/plan/untouched.h"
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

int64_t offset_of(const Binding& binding, const plan::Request& request) {
  if (binding.offset_of.node < 0) return 0;
  const Node& node = request.node(binding.offset_of.node);
  return binding.offset_of.input < 0 ? node.offset : node.inputs[binding.offset_of.input].offset;
}

/// What the write leaves untouched where it lies this time.
std::vector<plan::ByteBox> boxes_for(const plan::CopyStep& copy, const plan::Request& request) {
  const Node& write = request.node(copy.node);
  if (write.offset == copy.offset) return copy.boxes;
  const View view{.shape = write.form->shape, .strides = write.form->strides, .offset = write.offset, .dtype = write.form->dtype};
  return plan::untouched_boxes(view, write.out->nbytes);
}

/// Addresses and scalars of this run.
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

/// Where a run's memory is.
std::vector<uint64_t> places_of(const plan::Plan& plan, const plan::Request& request, const auto& memory) {
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

/// With that, all that distinguishes one run from another.
std::vector<uint64_t> scalars_of(const plan::Plan& plan, const plan::Request& request) {
  std::vector<uint64_t> scalars;
  for (const plan::Step& step : plan.steps) {
    for (const NodeRef& from : step.kernel.scalars) {
      uint64_t words[2];
      std::memcpy(words, request.node(from.node).inputs[from.input].scalar, sizeof words);
      scalars.insert(scalars.end(), words, words + 2);
    }
  }
  return scalars;
}

uint64_t hash_of(const std::vector<uint64_t>& key) {
  SumHash hash;
  for (const uint64_t word : key) hash.add(word);
  return hash.value();
}

/// Whether views lie where they did when the plan was made, and no array over another.
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

}  // namespace

/// The device memory of every slot while a plan runs. All of it is there once this is made.
class DeviceRunner::Memory {
 public:
  Memory(const plan::Plan& plan, const plan::Request& request, runtime::Device& device)
      : plan_(plan), external_(plan.slots.size()) {
    for (size_t s = 0; s < external_.size(); ++s) {
      const NodeRef& at = plan.slots[s].external;
      if (at.node < 0) continue;
      const Node& node = request.node(at.node);
      external_[s] = on_device(at.input < 0 ? *node.old : *node.inputs[at.input].version, device);
    }
    for (const plan::Block& block : plan.blocks) {
      blocks_.push_back(block.from < 0 ? device.allocate(static_cast<size_t>(block.nbytes)) : external_[block.from]);
    }
  }
  void drop(int32_t block) { blocks_[block] = nullptr; }
  char* data(int32_t slot) const { return buffer(slot)->data(); }
  const Ref<Buffer>& buffer(int32_t slot) const {
    const int32_t block = plan_.slots[slot].block;
    return block < 0 ? external_[slot] : blocks_[block];
  }

 private:
  const plan::Plan& plan_;
  std::vector<Ref<Buffer>> external_;  // by slot
  std::vector<Ref<Buffer>> blocks_;
};

DeviceRunner::DeviceRunner(runtime::Device& device) : device_(device), kernels_(device), waits_(std::getenv("TESSERA_DEVICE_WAIT") != nullptr) {}

bool has_work(const plan::KernelStep& step) {
  return step.kernel && std::find(step.extents.begin(), step.extents.end(), 0) == step.extents.end();
}

WantedKernel wanted_kernel(const plan::KernelStep& step, const runtime::Device& device) {
  return {.hash = step.kernel_hash,
          .kernel = step.kernel,
          .form = choose_form(*step.kernel, step.extents, step.work, device.facts().capability, look_at_operands(step)),
          .may_be_lean = has_lean_form(*step.kernel)};
}

std::vector<char> make_block(const plan::KernelStep& step) {
  const DeviceParameters at(*step.kernel);
  std::vector<char> block(static_cast<size_t>(at.size));
  put(block, at.end, step.extents.data(), 8 * step.extents.size());
  put(block, at.extents, step.extents.data(), 8 * step.extents.size());
  int64_t axis = 0;
  for (const Binding& binding : step.buffers) {
    put(block, at.strides + 8 * axis, binding.strides.data(), 8 * binding.strides.size());
    put(block, at.dimensions + 8 * axis, binding.dimensions.data(), 8 * binding.dimensions.size());
    axis += static_cast<int64_t>(binding.strides.size());
  }
  return block;
}

namespace {

/// Whether a step of one lane, such as the join of a fold's chunks, can be done by the last block of the launch before it.
bool can_follow(const plan::Plan& plan, size_t k, const codegen::DeviceForm& first) {
  constexpr int64_t most_work = 1 << 16;
  if (k + 1 >= plan.steps.size() || first.team <= 32) return false;
  const plan::Step& next = plan.steps[k + 1];
  const plan::KernelStep& step = next.kernel;
  if (!has_work(step) || !next.copies.empty() || !step.flag_nodes.empty() || !step.scalars.empty() || step.work > most_work) return false;
  if (std::any_of(step.extents.begin(), step.extents.end(), [](int64_t extent) { return extent != 1; })) return false;
  const DeviceParameters own(*plan.steps[k].kernel.kernel), its(*step.kernel);
  if (!own.by_value() || own.following() + its.size > 4096) return false;
  return can_share_folds(*step.kernel);
}

/// The kernel of a step in its plan.
WantedKernel wanted_in(const plan::Plan& plan, size_t k, const runtime::Device& device) {
  WantedKernel wanted = wanted_kernel(plan.steps[k].kernel, device);
  if (can_follow(plan, k, wanted.form)) wanted.form.following.kernel = plan.steps[k + 1].kernel.kernel;
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
    k += wanted.form.following.kernel != nullptr;
    if (std::find(seen.begin(), seen.end(), step.kernel_hash) != seen.end()) continue;
    seen.push_back(step.kernel_hash);
    count += !kernels_.is_ready(wanted, compiler, begins);
  }
  return count;
}

std::shared_ptr<DevicePlan> DeviceRunner::bind(const plan::Plan& plan, codegen::Compiler* compiler) {
  compiler_ = compiler;
  auto bound = std::make_shared<DevicePlan>();
  bound->is_complete = true;
  static uint32_t plans = 0;
  bound->number = ++plans;
  std::vector<WantedKernel> wanted;
  for (size_t k = 0; k < plan.steps.size(); ++k) {
    if (!has_work(plan.steps[k].kernel)) continue;
    wanted.push_back(wanted_in(plan, k, device_));
    k += wanted.back().form.following.kernel != nullptr;
  }
  kernels_.compile(wanted, compiler);
  for (size_t k = 0; k < plan.steps.size(); ++k) {
    DevicePlan::DeviceStep result;
    const plan::KernelStep& kernel = plan.steps[k].kernel;
    if (has_work(kernel)) {
      const WantedKernel wanted = wanted_in(plan, k, device_);
      result.takes_next = wanted.form.following.kernel != nullptr;
      result.kernel = &kernels_.find_or_compile(wanted, compiler);
      bound->is_complete &= result.kernel->program != nullptr;
      result.block = make_block(kernel);
      if (!DeviceParameters(*kernel.kernel).by_value()) {
        result.parameters = bound->parameter_bytes;
        bound->parameter_bytes += static_cast<int64_t>(result.block.size() + 63) / 64 * 64;
      }
      bound->flag_count += static_cast<int64_t>(kernel.flag_nodes.size());
    }
    const bool takes_next = result.takes_next;
    bound->steps.push_back(std::move(result));
    if (takes_next) {
      make_ticket();
      bound->steps.push_back({.block = make_block(plan.steps[++k].kernel)});
    }
  }
  bound->parts = plan::join_moves(plan);
  bound->launches = static_cast<int>(bound->parts.size());
  bool can_move = true;
  for (const plan::PlanPart& part : bound->parts) {
    const auto* set = std::get_if<plan::MoveSet>(&part);
    if (!set) continue;
    bound->has_moves = true;
    can_move = can_move && prepare(moves_routine(set->item), compiler);
  }
  bound->has_moves = bound->has_moves && can_move;
  return bound;
}

/// A word that is 0 between launches, in which the blocks of one count themselves.
void DeviceRunner::make_ticket() {
  if (ticket_) return;
  ticket_ = device_.allocate(4);
  device_.stream().fill_zero(ticket_->data(), 4);
}

void DeviceRunner::launch(const plan::KernelStep& step, const DevicePlan::DeviceStep& bound, std::span<const char> block, char* place) {
  profile::add(profile::Counter::device_launches);
  if (!place) return device_.stream().launch(*bound.program, bound.grid, block);
  device_.stream().copy_in(place, block.data(), block.size());
  device_.stream().launch(*bound.program, bound.grid, std::span(reinterpret_cast<const char*>(&place), sizeof place));
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
    step.grid = choose_grid(step.kernel->form, plan.steps[k].kernel.extents);
    // What was written down launches the program before.
    bound.replays.known.clear();
    bound.replays.captures_left = Replays::most_captures;
  }
}

void DeviceRunner::queue(const plan::Plan& plan, const DevicePlan& bound, const plan::Request& request, Memory& memory, int64_t flag) {
  Ref<Buffer> parameters;
  if (bound.parameter_bytes > 0) parameters = device_.allocate(static_cast<size_t>(bound.parameter_bytes));
  const auto copy = [&](const plan::CopyStep& copy) { copy_boxes(memory.data(copy.from), memory.data(copy.to), boxes_for(copy, request)); };
  const auto run_kernel = [&](size_t k) {
    const plan::KernelStep& step = plan.steps[k].kernel;
    if (!bound.steps[k].kernel) return;
    const char* flags = step.flag_nodes.empty() ? nullptr : flags_->data() + 4 * flag;
    flag += static_cast<int64_t>(step.flag_nodes.size());
    const int64_t place = bound.steps[k].parameters;
    std::vector<char> block = fill_block(step, bound.steps[k], request, memory, flags);
    if (bound.steps[k].takes_next) {
      const char* ticket = ticket_->data();
      const std::vector<char> next = fill_block(plan.steps[k + 1].kernel, bound.steps[k + 1], request, memory, nullptr);
      block.insert(block.end(), reinterpret_cast<const char*>(&ticket), reinterpret_cast<const char*>(&ticket + 1));
      block.insert(block.end(), next.begin(), next.end());
    }
    launch(step, bound.steps[k], block, place < 0 ? nullptr : parameters->data() + place);
  };
  if (!bound.has_moves || !lies_as_planned(plan, request, memory)) {
    for (size_t k = 0; k < plan.steps.size(); ++k) {
      for (const plan::CopyStep& of : plan.steps[k].copies) copy(of);
      run_kernel(k);
    }
    return;
  }
  for (const plan::PlanPart& part : bound.parts) {
    if (const auto* set = std::get_if<plan::MoveSet>(&part)) {
      move(*set, request, [&](int32_t slot) { return memory.data(slot); });
      continue;
    }
    const auto [k, of] = std::get<plan::StepPart>(part);
    if (of >= 0) copy(plan.steps[static_cast<size_t>(k)].copies[static_cast<size_t>(of)]);
    else run_kernel(static_cast<size_t>(k));
  }
}

/// A launch takes the driver some microseconds, and many at once take hardly more than one: what runs in the same memory
/// again, as turns of loops do, is written down and then queued as a whole, the scalars changed where they are others.
void DeviceRunner::queue_or_replay(const plan::Plan& plan, DevicePlan& bound, const plan::Request& request, Memory& memory, int64_t flag) {
  constexpr size_t most_known = 24;
  Replays& replays = bound.replays;
  std::vector<uint64_t> places = places_of(plan, request, memory), scalars = scalars_of(plan, request);
  const auto work = [&] { queue(plan, bound, request, memory, flag); };
  const auto known = std::find_if(replays.known.begin(), replays.known.end(), [&](const Replays::Known& k) { return k.places == places; });
  if (known != replays.known.end()) {
    if (known->scalars == scalars || device_.stream().rewrite(*known->work, work)) {
      known->scalars = std::move(scalars);
      ++replays.captures_left;
      profile::add(profile::Counter::device_replays);
      return device_.stream().replay(*known->work);
    }
    replays.known.erase(known);
  }
  const uint64_t hash = hash_of(places);
  const bool was_seen = std::find(replays.seen.begin(), replays.seen.end(), hash) != replays.seen.end();
  if (!was_seen || replays.captures_left <= 0) {
    replays.seen[replays.next_seen++ % replays.seen.size()] = hash;
    return work();
  }
  replays.captures_left -= 2;  // one costs as much time as two replays save
  auto written = device_.stream().capture(work);
  if (!written) {
    replays.captures_left = std::numeric_limits<int>::min() / 2;
    return work();
  }
  device_.stream().replay(*written);
  if (replays.known.size() >= most_known) replays.known.erase(replays.known.begin());
  replays.known.push_back({std::move(places), std::move(scalars), std::move(written)});
}

void DeviceRunner::run(const plan::Plan& plan, DevicePlan& bound, const plan::Request& request, Recorder& window) {
  constexpr int worth_a_replay = 4;  // launches
  constexpr int most_single_runs = 2;
  profile::add(profile::Counter::device_windows);
  if (!bound.is_settled) renew(plan, bound);
  // All memory is there before the first step runs: what does not fit has done nothing.
  Memory memory(plan, request, device_);
  reserve_flags(bound.flag_count);
  const bool may_replay = bound.launches >= worth_a_replay && bound.parameter_bytes == 0 && ++bound.replays.runs > most_single_runs &&
                          reserve_own_flags(bound);
  const int64_t flag = watch_flags(plan, bound, request, window);
  note_work(request);
  if (may_replay) {
    queue_or_replay(plan, bound, request, memory, flag);
  } else {
    queue(plan, bound, request, memory, flag);
  }
  if (waits_) {
    device_.stream().synchronize();
    answered_ = queued_;
  }
  note_large_results(plan, request);
  for (int i = 0; i < request.size(); ++i) {
    Version& out = *request.node(i).out;
    out.window = nullptr;
    const int32_t slot = plan.result_slots[i];
    if (slot >= 0) set_device_buffer(out, memory.buffer(slot));
    out.device_plan = bound.number;
    if (const Version* old = request.node(i).old.get()) out.lent = old->lent && request.node(i).form->pinned;
  }
}

void DeviceRunner::note_work(const plan::Request& request) {
  const int first = std::max(0, request.size() - static_cast<int>(work_.size()));
  queued_ += static_cast<uint64_t>(first);
  for (int i = first; i < request.size(); ++i) {
    const Node& node = request.node(i);
    work_[queued_++ % work_.size()] = {node.form, node.site};
  }
}

std::vector<DeviceRunner::Work> DeviceRunner::unanswered() const {
  std::vector<Work> work;
  const uint64_t kept = std::min<uint64_t>(queued_ - answered_, work_.size());
  for (uint64_t k = queued_ - kept; k < queued_; ++k) work.push_back(work_[k % work_.size()]);
  return work;
}

}  // namespace tessera::engine
