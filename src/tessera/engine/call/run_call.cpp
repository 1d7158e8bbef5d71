// Runs calls of routines, recorded or not.
#include <algorithm>
#include <cstring>
#include <optional>
#include <vector>

#include "tessera/base/error.h"
#include "tessera/base/unlocked.h"
#include "tessera/eager/array_memory_error.h"
#include "tessera/eager/host_memory.h"
#include "tessera/eager/reduction_events.h"
#include "tessera/engine/call/device_launcher.h"
#include "tessera/engine/call/parted_call.h"
#include "tessera/engine/call/parted_numbers.h"
#include "tessera/engine/call/slabs.h"
#include "tessera/engine/device/memory/coherence.h"
#include "tessera/engine/device/placement/place.h"
#include "tessera/engine/device/placement/placed_call.h"
#include "tessera/engine/devices.h"
#include "tessera/engine/reading.h"
#include "tessera/engine/recording.h"
#include "tessera/engine/state.h"
#include "tessera/engine/support/calls.h"
#include "tessera/engine/support/limits.h"
#include "tessera/engine/support/memory.h"
#include "tessera/engine/support/trace.h"
#include "tessera/graph/large_arrays.h"
#include "tessera/library/device_library.h"
#include "tessera/profile/account.h"
#include "tessera/profile/counters.h"
#include "tessera/profile/progress.h"
#include "tessera/profile/ranges.h"
#include "tessera/routines/table.h"
#include "tessera/runtime/host/host_pool.h"
#include "tessera/runtime/host/threads.h"

namespace tessera {

using engine::Recorder;
using graph::Version;

namespace {

/// A call's operands as its descriptor sees them.
struct Seen {
  SmallVector<const View*, 4> views;
  const ops::Arguments& arguments;
  explicit Seen(const graph::Call& call) : arguments(call.arguments) {
    for (const graph::CallOperand& operand : call.operands) views.push_back(&operand.view);
  }
  ops::CallView get() const { return {views, arguments}; }
};

routines::Elements elements_at(char* start, View view) {
  char* data = start + std::exchange(view.offset, 0);
  return {data, std::move(view)};
}

/// The buffers of results while they are made: they become the versions' contents when all has gone well.
class Results {
 public:
  /// `words_on_host`: all but the first are in host memory.
  Results(graph::Call& call, runtime::Allocator& allocator, bool words_on_host = false)
      : call_(call),
        allocator_(allocator),
        words_on_host_(words_on_host),
        elements_(call.results.size()),
        buffers_(call.results.size()) {
    for (size_t k = 0; k < call.results.size(); ++k)
      if (call.results[k].version) allocate(k, call.results[k].view);
  }
  std::span<routines::Elements> elements() { return elements_; }
  void make(int k, std::span<const int64_t> shape, DType dtype) {
    graph::CallOperand& result = call_.results[static_cast<size_t>(k)];
    checked_size(shape, itemsize(dtype));
    result.view = View::contiguous(shape, dtype);
    allocate(static_cast<size_t>(k), result.view);
    result.version = Ref<Version>(Version::make());
    result.version->nbytes = result.view.size() * result.view.itemsize();
  }
  template <class Settle>
  void settle(Settle&& body) {
    for (size_t k = 0; k < buffers_.size(); ++k) {
      call_.results[k].view = elements_[k].view;
      body(*call_.results[k].version, call_.results[k].view, buffers_[k], is_on_host(k));
    }
  }

 private:
  bool is_on_host(size_t k) const { return words_on_host_ && k > 0; }
  void allocate(size_t k, const View& view) {
    try {
      runtime::Allocator& allocator = is_on_host(k) ? runtime::HostPool::instance() : allocator_;
      buffers_[k] = allocator.allocate(static_cast<size_t>(view.size() * view.itemsize()));
    } catch (const OutOfMemory&) {
      throw ArrayMemoryError(view.shape, view.dtype);
    }
    elements_[k] = elements_at(buffers_[k]->data(), view);
  }

  graph::Call& call_;
  runtime::Allocator& allocator_;
  const bool words_on_host_;
  std::vector<routines::Elements> elements_;
  std::vector<Ref<runtime::Buffer>> buffers_;
};

}  // namespace

namespace {

/// Whether anything but the node itself refers to a result.
bool is_needed(const graph::Node& node) {
  for (const graph::CallOperand& result : node.call->results) {
    const uint32_t own = result.version == node.out ? 2 : 1;
    if (result.version->references() > own) return true;
  }
  return false;
}

}  // namespace

void engine::Executor::run_call_node(Recorder& window) {
  graph::Node& node = window[window.begin()];
  const Ref<graph::Call> call = node.call;
  if (is_needed(node)) {
    run_call(*call, window, {node.site, node.form->events, node.form});
  } else {
    for (const graph::CallOperand& result : call->results) result.version->window = nullptr;
  }
  profile::add(profile::Counter::ops_recorded, 1);
  window.pop_before(window.begin() + 1);
}

namespace {

plan::CallCost cost_of(const routines::Entry& entry, const Seen& call) {
  return plan::on_threads(entry.routine.cost(call.get()), runtime::thread_count());
}

/// Where the call runs.
runtime::Device* device_of_call(engine::State& state, const graph::Call& call, const routines::Entry& entry,
                                Recorder& window) {
  if (!window.target() && !window.may_choose()) return nullptr;
  const profile::InRow row(profile::Row::planning);
  const Seen seen(call);
  if (!entry.on_device || (entry.suits_device && !entry.suits_device(seen.get()))) return nullptr;
  if (entry.routine.writes_first && !call.operands[0].view.is_injective()) return nullptr;
  engine::CallOperands operands{.are_any = !call.operands.empty() && !entry.words_on_host};
  for (const graph::CallOperand& operand : call.operands) {
    if (!engine::has_whole_steps(operand.view)) return nullptr;
    if (entry.words_on_host) continue;
    operands.is_on_host &= operand.version->data != nullptr;
    operands.nbytes += operand.view.size() * operand.view.itemsize();
  }
  if (!operands.are_any)
    for (const graph::CallOperand& result : call.results)
      operands.nbytes += result.view.size() * result.view.itemsize();
  operands.versions = [&] {
    std::vector<Ref<Version>> versions;
    for (const graph::CallOperand& operand : call.operands)
      if (!entry.words_on_host) versions.push_back(operand.version);
    return versions;
  };
  return state.placer.place_call(operands, cost_of(entry, seen), window);
}

/// What a call writes on a device: the array in place or, where kernels cannot walk it, a dense copy.
class WrittenOnDevice {
 public:
  WrittenOnDevice(engine::State& state, const Array& array, bool takes_views)
      : state_(state), array_(array), target_(array) {
    is_in_place_ = array.view.is_c_contiguous() || takes_views;
    if (!is_in_place_) target_ = Recording(state).copy(array, array.dtype(), Order::c);
  }
  const View& view() const { return target_.view; }
  Ref<runtime::Buffer> memory(runtime::Device& device) {
    Ref<runtime::Buffer> memory = Devices(state_).write_on_device(target_, device);
    if (!memory) throw routines::NoDeviceCode{};
    return memory;
  }
  void finish() {
    if (!is_in_place_) Recording(state_).assign(array_, target_, {});
  }

 private:
  engine::State& state_;
  const Array& array_;
  Array target_;
  bool is_in_place_;
};

bool run_on_device(engine::State& state, graph::Call& call, const routines::Entry& entry, Recorder& window,
                   runtime::Device& device, uint64_t site, const Array* written) {
  const std::string name(entry.routine.name);
  // What has no operands there makes data that others compute with.
  const bool may_cut = entry.words_on_host && !window.choice && window.devices;
  if (may_cut && engine::make_numbers_on_devices(state, call, entry, *window.devices, site)) return true;
  try {
    state.devices.of(device);  // whoever synchronises waits for its stream
    std::optional<WrittenOnDevice> target;
    if (written) target.emplace(state, *written, entry.takes_views > 0);
    std::vector<Ref<runtime::Buffer>> buffers(call.operands.size());
    std::vector<routines::Elements> operands(call.operands.size());
    for (size_t k = operands.size(); k-- > 0;) {  // what is written comes last, as others may share its contents
      if (entry.words_on_host) {
        state.executor.settle(*call.operands[k].version);
        operands[k] = elements_at(engine::host_data(*call.operands[k].version), call.operands[k].view);
        continue;
      }
      const bool writes = target && k == 0;
      buffers[k] = writes ? target->memory(device) : engine::on_device(*call.operands[k].version, device);
      operands[k] = elements_at(buffers[k]->data(), writes ? target->view() : call.operands[k].view);
    }
    Results results(call, device, entry.words_on_host);
    engine::DeviceLauncher launcher(Devices(state), device, call.operands);
    routines::DeviceCall seen{
        {call.arguments, operands, results.elements(),
         [&](int k, std::span<const int64_t> shape, DType dtype) { results.make(k, shape, dtype); }},
        launcher};
    entry.on_device(seen);
    launcher.flush();
    results.settle([&](Version& version, const View& view, const Ref<runtime::Buffer>& buffer, bool is_on_host) {
      if (is_on_host)
        eager::set_buffer(version, buffer);
      else if (!may_cut || !engine::cut_result(version, view, *buffer, device, *window.devices))
        engine::set_device_buffer(version, buffer);
      state.placer.enter(version, !is_on_host, state.windows.own());
      if (version.nbytes >= graph::large_bytes) graph::note_large(version, view.shape, view.dtype, site);
    });
    if (target) target->finish();
    return true;
  } catch (const routines::NoDeviceCode&) {
    profile::add(profile::Counter::device_fallbacks);
    state.placer.give_up_device(window);
  } catch (const library::LibraryMissing& missing) {
    state.fallbacks.note(missing.title(), format("{} and its like run on the host: {}", name, missing.what()));
    state.placer.give_up_device(window, entry.routine.cost(Seen(call).get()).op);
  } catch (const OutOfMemory& error) {
    state.fallbacks.note(name, format("{} runs on the host when it does not fit: {}", name, error.what()));
    state.placer.give_up_device(window);
  }
  return false;
}

/// The operands of a call in host memory.
class HostOperands {
 public:
  /// `copies_foreign`: dense operands that other code may change meanwhile are copied.
  HostOperands(engine::State& state, const graph::Call& call, const routines::Entry& entry, const Array* written,
               bool copies_foreign) {
    const size_t first = written ? 1 : 0;
    for (size_t k = first; k < call.operands.size(); ++k) state.executor.settle(*call.operands[k].version);
    if (written) {
      elements_.push_back({Reading(state).write(*written), written->view});
      elements_[0].view.offset = 0;
    }
    for (size_t k = first; k < call.operands.size(); ++k) {
      const graph::CallOperand& operand = call.operands[k];
      elements_.push_back(elements_at(engine::host_data(*operand.version), operand.view));
      if (copies_foreign && operand.version->foreign && static_cast<int>(k) >= entry.takes_views) copy(elements_[k]);
    }
  }
  std::span<const routines::Elements> get() const { return elements_; }

 private:
  void copy(routines::Elements& elements) {
    const auto nbytes = static_cast<size_t>(elements.size() * elements.view.itemsize());
    copies_.push_back(runtime::HostPool::instance().allocate(nbytes));
    std::memcpy(copies_.back()->data(), elements.data, nbytes);
    elements.data = copies_.back()->data();
  }

  std::vector<routines::Elements> elements_;
  std::vector<Ref<runtime::Buffer>> copies_;
};

void run_on_host(engine::State& state, graph::Call& call, const routines::Entry& entry, Recorder& window, uint64_t site,
                 uint32_t watched_events, const Array* written) {
  int64_t elements =
      engine::is_long_call(*call.routine, Seen(call).get()) ? engine::HostLimits::routine_work_for_unlock : 0;
  for (const graph::CallOperand& operand : call.operands) elements += operand.view.size();
  for (const graph::CallOperand& result : call.results) elements += result.version ? result.view.size() : 0;
  const bool unlocks = !written && elements >= engine::HostLimits::routine_work_for_unlock;
  // Routines that make their results read their operands twice.
  const HostOperands operands(state, call, entry, written, entry.routine.time == ops::CallTime::at_call);
  Results results(call, runtime::HostPool::instance());
  {
    const profile::UnderWay under_way(profile::counts_progress() ? std::string(entry.routine.name) : "", 0);
    Unlocked unlocked(state.hooks, unlocks);
    routines::HostCall seen{{call.arguments, operands.get(), results.elements(),
                             [&](int k, std::span<const int64_t> shape, DType dtype) {
                               unlocked.locked([&] { results.make(k, shape, dtype); });
                             }},
                            [&](const routines::KernelLaunch& launch, int64_t work) {
                              unlocked.locked([&] { Devices(state).run_on_host(launch, work); });
                            }};
    {
      const profile::InRow row(profile::Row::running);
      entry.on_host(seen);
    }
    const uint32_t events = watched_events ? entry.events(seen, watched_events) : 0;
    if (events) unlocked.locked([&] { window.reports.push_back({engine::events_name(entry), events, site}); });
  }
  results.settle([&](Version& version, const View& view, const Ref<runtime::Buffer>& buffer, bool) {
    eager::set_buffer(version, buffer);
    state.placer.enter(version, false, state.windows.own());
    if (version.nbytes >= graph::large_bytes) graph::note_large(version, view.shape, view.dtype, site);
  });
}

}  // namespace

void engine::Executor::run_call(graph::Call& call, Recorder& window, const CallContext& context, const Array* written) {
  const uint64_t site = context.site;
  const routines::Entry& entry = routines::Table::standard().of(*call.routine);
  const profile::Range range(profile::has_listener() ? std::string(entry.routine.name).c_str() : "");
  const profile::InRow row(profile::Row::queueing);
  const engine::PlacedCall placed(&window);
  engine::TraceRun traced(engine::TracedRun::Kind::call, entry.routine.name, site);
  if (traced.is_active()) {
    for (const graph::CallOperand& operand : call.operands) traced.reads(operand.version.get());
    const ops::Cost cost = cost_of(entry, Seen(call));
    traced.estimate(plan::host_seconds(cost), plan::device_seconds(cost, state_.placer.facts_of(nullptr)));
  }
  const auto finish = [&](runtime::Device* device) {
    for (const graph::CallOperand& result : call.results) traced.writes(result.version.get());
    if (written) traced.writes(written->storage->current.get());
    traced.finish(device);
  };
  if (!written && engine::run_in_parts(state_, call, window, context))
    return finish(window.devices ? window.devices->usable() : nullptr);
  if (&window == state_.windows.over_ranks() && context.form && make_numbers_on_ranks(state_, call, entry, context))
    return finish(nullptr);
  runtime::Device* device = device_of_call(state_, call, entry, window);
  if (written) call.operands[0].version = {};  // only what nobody else refers to is written in place
  const bool on_device = device && run_on_device(state_, call, entry, window, *device, site, written);
  if (!on_device) run_on_host(state_, call, entry, window, site, context.watched_events, written);
  finish(on_device ? device : nullptr);
}

}  // namespace tessera
