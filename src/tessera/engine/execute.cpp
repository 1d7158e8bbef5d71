#include "tessera/engine/executor.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "tessera/base/error.h"
#include "tessera/eager/array_memory_error.h"
#include "tessera/eager/host_memory.h"
#include "tessera/eager/unsteady_sites.h"
#include "tessera/engine/device/memory/coherence.h"
#include "tessera/engine/device/memory/copy_guard.h"
#include "tessera/engine/device/memory/lent_memory.h"
#include "tessera/engine/device/memory/tiled_memory.h"
#include "tessera/engine/device/placement/place.h"
#include "tessera/engine/device/run/plan_facts.h"
#include "tessera/engine/state.h"
#include "tessera/engine/support/limits.h"
#include "tessera/engine/support/memory.h"
#include "tessera/engine/support/trace.h"
#include "tessera/graph/large_arrays.h"
#include "tessera/plan/split_window.h"
#include "tessera/profile/account.h"
#include "tessera/profile/counters.h"
#include "tessera/profile/progress.h"
#include "tessera/profile/ranges.h"

namespace tessera::engine {

using graph::Storage;
using graph::Version;

Executor::Executor(State& state) : state_(state), failed_(state.windows.engine_number) {}

/// Where the nodes before `end` may go on elsewhere.
static std::vector<int64_t> split(Recorder& window, int64_t end) {
  const WholeLoop now{end - window.begin(), window.loops().breaks()};
  const bool is_loop = window.loops().period() > 0;
  if (is_loop && window.whole_loop == now) return {end};
  std::vector<int64_t> parts = plan::split_window(window, end, plan::PlacementLimits::spread_bytes);
  if (is_loop && parts.size() == 1) window.whole_loop = now;
  return parts;
}

void Executor::run(Recorder& window, int64_t end, bool beside) {
  state_.windows.wait_to_run(window);
  if (end <= window.begin()) return;
  window.running = true;
  struct Done {
    Windows& windows;
    Recorder& window;
    ~Done() { windows.end_run(window); }
  } done{state_.windows, window};
  const bool one_by_one = DeviceRunner::waits() && (window.target() || window.choice);
  std::exception_ptr told;  // to whoever let the window run, not only to who reads the result
  const auto run_nodes = [&](int64_t stop, bool is_call) {
    try {
      is_call ? run_call_node(window) : run_together(window, stop, beside);
    } catch (const CopyForbidden&) {
      told = std::current_exception();
      run_apart(window, stop, told);
    } catch (const RankFailure&) {
      told = std::current_exception();
      fail(window, stop, told);
    } catch (const runtime::DeviceFailure&) {
      told = std::current_exception();
      run_apart(window, stop, told);
    } catch (...) {
      run_apart(window, stop, std::current_exception());
    }
  };
  while (window.begin() < end) {
    const bool is_call = window[window.begin()].call != nullptr;
    const int64_t stop = is_call || one_by_one ? window.begin() + 1 : window.next_call(window.begin(), end);
    if (is_call || one_by_one || !window.has_several())
      run_nodes(stop, is_call);
    else
      for (const int64_t part : split(window, stop)) run_nodes(part, false);
  }
  if (told) std::rethrow_exception(told);
}

void Executor::run_to_end(Recorder& window) {
  const Ref<Version> last = window[window.end() - 1].out;
  run_until(window, window.end());
  if (failed_.holds(*last)) failed_.raise(*last);
}

void Executor::run_apart(Recorder& window, int64_t end, const std::exception_ptr& error) {
  const int64_t count = end - window.begin();
  if (count == 1 || window.has_overwritten) return fail(window, end, error);
  for (const int64_t stop : {window.begin() + count / 2, end}) {
    try {
      run_together(window, stop, false);
    } catch (...) {
      run_apart(window, stop, std::current_exception());
    }
  }
}

namespace {

/// The error for the user when the node failed alone: lack of memory names the array that it makes.
std::exception_ptr name_result(const std::exception_ptr& error, const graph::Node& node) {
  try {
    try {
      std::rethrow_exception(error);
    } catch (const ArrayMemoryError&) {
      throw;
    } catch (const OutOfMemory&) {
      if (node.call) throw;
      refuse_result(node);
    } catch (const std::bad_alloc&) {
      refuse_result(node);
    }
  } catch (...) {
    return std::current_exception();
  }
}

/// The same for nodes that had begun to write over their operands.
std::exception_ptr say_final(const std::exception_ptr& error) {
  constexpr const char* why = "; the operation had begun to write over its operands, so it is not tried again";
  try {
    std::rethrow_exception(error);
  } catch (const runtime::DeviceFailure&) {
    return error;
  } catch (const Error& failure) {
    return std::make_exception_ptr(Error(failure.kind(), std::string(failure.what()) + why));
  } catch (const std::exception& failure) {
    return std::make_exception_ptr(RuntimeError(std::string(failure.what()) + why));
  } catch (...) {
    return error;
  }
}

}  // namespace

void Executor::fail(Recorder& window, int64_t end, std::exception_ptr error) {
  const graph::Node& first = window[window.begin()];
  const int64_t count = end - window.begin();
  const bool is_final = std::exchange(window.has_overwritten, false);
  if (count == 1) {
    try {
      std::rethrow_exception(error);
    } catch (const LostElements&) {
      runtime::Device& device = *state_.devices.find_failed();
      if (first.call)
        for (const graph::CallOperand& result : first.call->results) lose(*result.version, device);
      else
        note_large_result(plan::make_request(window, window.begin(), end), 0), lose(*first.out, device);
      return window.pop_before(end);
    } catch (...) {
      error = name_result(error, first);
    }
  }
  if (is_final) error = say_final(error);
  for (int64_t number = window.begin(); number < end; ++number) failed_.take(window, number, error, is_final);
  window.pop_before(end);
}

void Executor::retry(const Version& version) {
  if (free_retries_.empty()) {
    retries_.push_back(std::make_unique<Recorder>(state_.windows.engine_number));
    free_retries_.push_back(retries_.back().get());
  }
  Recorder& window = *free_retries_.back();
  failed_.record_again(version, window);
  free_retries_.pop_back();
  struct Done {
    Executor& executor;
    Recorder& window;
    ~Done() {
      std::vector<FloatReport>& reports = executor.state_.windows.own().reports;
      reports.insert(reports.end(), window.reports.begin(), window.reports.end());
      window.reports.clear();
      executor.free_retries_.push_back(&window);
    }
  } done{*this, window};
  run_until(window, window.end());
}

namespace {

/// Whether some step writes into memory that existed before.
bool overwrites_operands(const plan::Plan& plan) {
  const auto existed = [&](int32_t number) {
    const plan::Slot& slot = plan.slots[static_cast<size_t>(number)];
    return slot.block < 0 || plan.blocks[static_cast<size_t>(slot.block)].from >= 0;
  };
  for (const plan::Step& step : plan.steps) {
    for (const plan::CopyStep& copy : step.copies)
      if (existed(copy.to)) return true;
    if (!step.kernel.kernel) continue;
    for (size_t k = 0; k < step.kernel.buffers.size(); ++k)
      if (step.kernel.kernel->buffers[k].writable && existed(step.kernel.buffers[k].slot)) return true;
  }
  return false;
}

/// What all of its kernels do.
int64_t lanes_of(const plan::Plan& plan) {
  int64_t lanes = 0;
  for (const plan::Step& step : plan.steps)
    if (step.kernel.kernel) lanes += Launch::lanes(step.kernel.extents);
  return lanes;
}

/// Tells the sites of a window that ran on the host whether its plan was found. A known loop is steady, whatever else
/// is planned with it at first.
void note_sites(const plan::Request& request, Recorder& window, bool found) {
  eager::UnsteadySites& sites = eager::UnsteadySites::instance();
  if (found ? !sites.watches() : window.loops().period() > 0) [[likely]]
    return;
  if (Trace::active()) return;  // which shows what is recorded
  sites.begin_window();
  for (int i = 0; i < request.size(); ++i) {
    const graph::Node& node = request.node(i);
    int64_t elements = 1;
    for (const int64_t extent : node.form->shape) elements *= extent;
    if (elements <= eager::UnsteadySites::most_elements) sites.note(node.site, found);
  }
}

/// "window of 3: multiply, add, sum", for an attached profiler; long names are cut.
std::string name_of(const plan::Request& request) {
  constexpr size_t longest = 120;
  if (!profile::has_listener() && !profile::counts_progress()) [[likely]]
    return {};
  std::string text = format("window of {}:", request.size());
  for (int i = 0; i < request.size() && text.size() < longest; ++i)
    text += format("{} {}", i ? "," : "", request.node(i).form->op->name);
  return text;
}

}  // namespace

plan::PlanOptions Executor::plan_options(const plan::Request& request, const Recorder& window) const {
  plan::PlanOptions options{.wave_bytes = state_.options.wave_bytes};
  if (window.ranks)
    options.places = window.ranks->size(), options.in_blocks = true;
  else if (!window.choice && window.has_several() && state_.tiled.may_cut(request, *window.devices))
    options.places = static_cast<int>(window.devices->devices().size());
  return options;
}

void Executor::run_together(Recorder& window, int64_t end, bool beside) {
  const profile::InRow row(profile::Row::planning);
  window.has_begun = window.has_overwritten = false;
  const plan::Request request = plan::make_request(window, window.begin(), end);
  const std::string name = name_of(request);
  const profile::Range range(name.c_str());
  const auto [bound, found] = state_.plans.find_or_make(request, plan_options(request, window));
  const profile::UnderWay under_way(name, profile::counts_progress() ? lanes_of(bound->plan) : 0);
  try {
    run_plan(bound, found, request, window, beside);
  } catch (...) {
    window.has_overwritten = window.has_begun && overwrites_operands(bound->plan);
    throw;
  }
}

void Executor::run_plan(const std::shared_ptr<BoundPlan>& bound, bool found, const plan::Request& request,
                        Recorder& window, bool beside) {
  const int64_t end = request.end;
  window.note_plan(request.size(), found);
  const bool writes_lent = request.pinned && writes_lent_memory(request);
  runtime::Device* device = state_.placer.place_plan(bound, request, window);
  const bool is_timed = state_.placer.is_timed(*bound, device, window);
  if (window.choice) window.note_choice(device != nullptr);
  const profile::Measured measured(is_timed);
  // What is waited for is earlier work.
  const auto own_seconds = [&]() -> std::optional<double> {
    if (!is_timed) return std::nullopt;
    const profile::Rows rows = measured.rows();
    return rows.of_work() - rows.of(profile::Row::waiting);
  };
  TraceRun traced(request, Trace::active() ? plan_options(request, window) : plan::PlanOptions{});
  if (traced.is_active()) {
    const plan::PlanCost cost = find_cost(bound->plan);
    const plan::MachineFacts& facts = state_.placer.facts_of(device);
    traced.estimate(plan::host_seconds(cost, facts), plan::device_seconds(cost, facts));
  }
  const profile::InRow row(profile::Row::queueing);
  bool on_device = false;
  uint64_t ticket = 0;  // background work uses what the nodes read until this ticket is done
  const DeviceSet* set = device && !window.choice && window.has_several() ? window.devices : nullptr;
  if (window.ranks && window.ranks->is_forecast() && !request.pinned) {
    state_.over_ranks.forecast(*bound, request, *window.ranks, [&] { state_.runner.run(bound, request, window); });
  } else if (window.ranks && !request.pinned) {
    state_.over_ranks.run(*bound, request, window, *window.ranks);
    on_device = true;
  } else if (set && state_.tiled.is_cut(*bound, request, *set) && state_.tiled.run(*bound, request, window, *set)) {
    on_device = true;
  } else if (device && state_.devices.run(bound, request, window, *device)) {
    on_device = true;
    // The work is queued; reading a result waits for it.
    if (window.choice && !device->takes_ir()) state_.placer.note_device_time(*bound, *device, own_seconds());
    if (window.choice) engine::Placer::note_results(*bound, request, true);
  } else if (writes_lent) {
    state_.runner.run(bound, request, window);
    return_lent_memory(request);
  } else if (beside && !state_.windows.over_ranks() && !traced.is_active() && Runner::may_start(*bound)) {
    ticket = state_.runner.start(bound, request, window);
  } else {
    state_.runner.run(bound, request, window);
    if (const std::optional<double> seconds = own_seconds()) state_.placer.note_host_time(*bound, *seconds);
  }
  if (!device && (is_timed || engine::Placer::is_placed(*bound, window)))
    engine::Placer::note_results(*bound, request, false);
  traced.finish(on_device ? device : nullptr);
  if (!on_device) note_sites(request, window, found);
  profile::add(profile::Counter::windows);
  profile::add(profile::Counter::ops_recorded, end - window.begin());
  window.pop_before(end, ticket);
}

void Executor::finish(const graph::Version& version) {
  if (!version.window) return;
  const Ref<const graph::Version> held(&version);
  while (version.window) {
    if (failed_.holds(version)) {
      retry(version);
    } else {
      auto& window = static_cast<Recorder&>(*version.window);
      run_until(window, window.end());
    }
    if (failed_.holds(version)) failed_.raise(version);
  }
}

Ref<graph::Version> Executor::finished(const graph::Storage& storage) {
  Ref<graph::Version> version;
  do {
    version = storage.current;
    finish(*version);
  } while (version != storage.current);
  return version;
}

void Executor::settle(graph::Version& version) {
  const Ref<graph::Version> held(&version);
  finish(version);
  if (Trace* trace = Trace::active()) [[unlikely]]
    trace->touch(TracedTouch::Kind::read, version, state_.site_of({}));
  state_.runner.wait(version);
  if (Forecast* forecast = state_.over_ranks.forecast(); forecast && is_tiled(version)) [[unlikely]]
    forecast->add_look(version.nbytes);
  if (version.data) return;
  runtime::Device* device = device_of(version);
  if (device) state_.placer.note_read(version);
  if (version.tiles && !version.on_devices) {
    copy_to_host(version, state_.hooks);
    for (const auto& runner : state_.devices.all()) runner->collect_events();
  } else if (device)
    state_.devices.of(*device).copy_to_host(version, state_.hooks);
  else
    copy_to_host(version, state_.hooks);
}

void Executor::settle_users(const Version& version) {
  const Ref<const Version> held(&version);
  while (version.uses > 0) {
    if (version.user) {
      auto& window = static_cast<Recorder&>(*version.user);
      run_until(window, window.end());
    } else {
      for (size_t k = 0; k < state_.windows.all().size(); ++k)
        run_until(*state_.windows.all()[k], state_.windows.all()[k]->end());
      for (size_t k = 0; k < retries_.size(); ++k) run_until(*retries_[k], retries_[k]->end());
      if (version.uses == failed_.uses_of(version)) return;
    }
  }
}

void Executor::make_exclusive(Storage& storage) {
  Ref<Version> version;
  do {
    version = finished(storage);
    require<BufferError>(
        !version->lent,
        "the array's memory on the device is shared with another library: what needs it on the host must take a copy");
    settle(*version);
    settle_users(*version);
    state_.runner.wait(*version);
  } while (version != storage.current);
  // Pinned memory keeps its address, whatever else references it.
  constexpr uint32_t ours = 2;
  if (storage.pins > 0 || version->references() == ours) return drop_device_copies(*version);
  Ref<Version> own = eager::make_settled(version->nbytes);
  std::memcpy(own->data, version->data, static_cast<size_t>(own->nbytes));
  storage.current = std::move(own);
}

Ref<runtime::Buffer> Executor::own_on_device(graph::Storage& storage, runtime::Device& device) {
  for (;;) {
    const Ref<graph::Version> version = finished(storage);
    if (storage.pins > 0 && !is_lent_on(storage, device)) return nullptr;
    settle_users(*version);
    Ref<runtime::Buffer> buffer = on_device(*version, device);
    constexpr uint32_t ours = 2;
    const bool is_shared = version->references() != ours;
    if (is_shared && storage.pins == 0) {
      const Ref<runtime::Buffer> own = device.allocate(buffer->nbytes());
      device.stream().copy(own->data(), buffer->data(), buffer->nbytes());
      buffer = own;
    }
    // Other threads may have run until here.
    if (version != storage.current || version->uses > failed_.uses_of(*version)) continue;
    if (storage.pins > 0) return is_lent_on(storage, device) && !is_shared ? buffer : nullptr;
    if (!is_shared) {
      set_device_buffer(*version, buffer);
      return buffer;
    }
    Ref<graph::Version> own(graph::Version::make());
    own->nbytes = version->nbytes;
    set_device_buffer(*own, buffer);
    if (const graph::LargeArray* known = version->large)
      graph::note_large(*own, known->shape, known->dtype, known->site);
    storage.replace(std::move(own));
    return buffer;
  }
}

}  // namespace tessera::engine
