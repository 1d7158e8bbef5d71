// Running of recorded nodes: when the host asks, when a window is full, and again where that failed.
#include <algorithm>
#include <chrono>
#include <cstring>
#include <new>
#include <utility>

#include "tessera/base/error.h"
#include "tessera/eager/array_memory_error.h"
#include "tessera/eager/host_memory.h"
#include "tessera/engine/device/memory/coherence.h"
#include "tessera/engine/device/memory/copy_guard.h"
#include "tessera/engine/device/memory/lent_memory.h"
#include "tessera/engine/device/placement/place.h"
#include "tessera/engine/device/placement/plan_facts.h"
#include "tessera/engine/limits.h"
#include "tessera/engine/memory.h"
#include "tessera/engine/state.h"
#include "tessera/engine/trace.h"
#include "tessera/plan/split_window.h"
#include "tessera/profile/counters.h"
#include "tessera/profile/progress.h"
#include "tessera/profile/ranges.h"

namespace tessera {

using engine::Recorder;
using graph::Storage;
using graph::Version;

void engine::State::run_until(Recorder& window, int64_t end) { execute(window, end, false); }
void engine::State::start_until(Recorder& window, int64_t end) { execute(window, end, true); }

void engine::State::execute(Recorder& window, int64_t end, bool beside) {
  while (must_wait(window)) wait_for_runner();
  if (end <= window.begin()) return;
  window.running = true;
  struct Done {
    State& state;
    Recorder& window;
    ~Done() {
      window.running = false;
      if (state.waiting == 0) return;
      std::lock_guard lock(state.runner_mutex);
      state.runner_done.notify_all();
    }
  } done{*this, window};
  const bool one_by_one = engine::DeviceRunner::waits() && (window.target() || window.choice);
  std::exception_ptr told;  // to whoever let the window run, not only to who reads the result
  const auto run_nodes = [&](int64_t stop, bool is_call) {
    try {
      is_call ? run_call_node(window) : run_together(window, stop, beside);
    } catch (const engine::CopyForbidden&) {
      told = std::current_exception();
      run_apart(window, stop, told);
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
      for (const int64_t part : plan::split_window(window, stop, PlacementLimits::spread_bytes)) run_nodes(part, false);
  }
  if (told) std::rethrow_exception(told);
}

void engine::State::run_to_end(Recorder& window) {
  const Ref<Version> last = window[window.end() - 1].out;
  run_until(window, window.end());
  if (failed.holds(*last)) failed.raise(*last);
}

void engine::State::run_apart(Recorder& window, int64_t end, const std::exception_ptr& error) {
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
      engine::refuse_result(node);
    } catch (const std::bad_alloc&) {
      engine::refuse_result(node);
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

void engine::State::fail(Recorder& window, int64_t end, std::exception_ptr error) {
  const graph::Node& first = window[window.begin()];
  const int64_t count = end - window.begin();
  const bool is_final = std::exchange(window.has_overwritten, false);
  if (count == 1) {
    try {
      std::rethrow_exception(error);
    } catch (const engine::LostElements&) {
      runtime::Device& device = *find_failed_device();
      if (first.call)
        for (const graph::CallOperand& result : first.call->results) engine::lose(*result.version, device);
      else
        engine::note_large_result(plan::make_request(window, window.begin(), end), 0), engine::lose(*first.out, device);
      return window.pop_before(end);
    } catch (...) {
      error = name_result(error, first);
    }
  }
  if (is_final) error = say_final(error);
  for (int64_t number = window.begin(); number < end; ++number) failed.take(window, number, error, is_final);
  window.pop_before(end);
}

void engine::State::retry(const Version& version) {
  if (free_retries.empty()) {
    retries.push_back(std::make_unique<Recorder>(number));
    free_retries.push_back(retries.back().get());
  }
  Recorder& window = *free_retries.back();
  failed.record_again(version, window);
  free_retries.pop_back();
  struct Done {
    State& state;
    Recorder& window;
    ~Done() {
      std::vector<FloatReport>& reports = state.recorder().reports;
      reports.insert(reports.end(), window.reports.begin(), window.reports.end());
      window.reports.clear();
      state.free_retries.push_back(&window);
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

/// "window of 3: multiply, add, sum", for an attached profiler; long names are cut.
/// What all of its kernels do.
int64_t lanes_of(const plan::Plan& plan) {
  int64_t lanes = 0;
  for (const plan::Step& step : plan.steps)
    if (step.kernel.kernel) lanes += engine::Launch::lanes(step.kernel.extents);
  return lanes;
}

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

void engine::State::run_together(Recorder& window, int64_t end, bool beside) {
  window.has_begun = window.has_overwritten = false;
  const plan::Request request = plan::make_request(window, window.begin(), end);
  const std::string name = name_of(request);
  const profile::Range range(name.c_str());
  const auto [bound, found] = find_plan(request);
  const profile::UnderWay under_way(name, profile::counts_progress() ? lanes_of(bound->plan) : 0);
  try {
    run_plan(bound, found, request, window, beside);
  } catch (...) {
    window.has_overwritten = window.has_begun && overwrites_operands(bound->plan);
    throw;
  }
}

namespace {

/// Whether what the plan takes on the host is to be known. Small ones that stay there are timed now and then.
bool is_timed(engine::BoundPlan& bound, bool device_has_results) {
  using engine::PlacementLimits;
  if (bound.stays_on_host && !device_has_results) return false;
  if (!bound.stays_on_host || bound.cost.host_runs < PlacementLimits::enough_runs) return true;
  if (++bound.untimed < PlacementLimits::untimed_runs) return false;
  bound.untimed = 0;
  return true;
}

}  // namespace

void engine::State::run_plan(const std::shared_ptr<BoundPlan>& bound, bool found, const plan::Request& request,
                             Recorder& window, bool beside) {
  const int64_t end = request.end;
  window.note_plan(request.size(), found);
  const bool writes_lent = request.pinned && engine::writes_lent_memory(request);
  runtime::Device* device = place_plan(bound, request, window);
  const bool has_history = window.choice && !window.choice->is_missing() && is_timed(*bound, device_has_results);
  if (window.choice) window.note_choice(device != nullptr);
  auto start = window.choice ? std::chrono::steady_clock::now() : std::chrono::steady_clock::time_point();
  const auto elapsed = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); };
  engine::TraceRun traced(request, options.wave_bytes);
  if (traced.is_active()) {
    const engine::PlanCost cost = engine::find_cost(bound->plan);
    const engine::MachineFacts& facts = facts_of(device);
    traced.estimate(host_seconds(cost, facts), device_seconds(cost, facts));
  }
  bool on_device = false;
  uint64_t ticket = 0;  // background work uses what the nodes read until this ticket is done
  if (device && run_on_device(bound, request, window, *device)) {
    on_device = true;
    // The work is queued; reading a result waits for it.
    if (window.choice && !device->takes_ir()) note_device_time(*bound, *device, elapsed());
    if (window.choice) engine::pass_credit_on(request, true);
  } else if (writes_lent) {
    runner.run(bound, request, window);
    engine::return_lent_memory(request);
  } else if (beside && !traced.is_active() && engine::Runner::may_start(*bound)) {
    ticket = runner.start(bound, request, window);
  } else if (has_history) {
    // Copying operands to the host first is not part of the plan's own time.
    const bool is_on_host = engine::is_on_host(bound->plan, request);
    start = std::chrono::steady_clock::now();
    runner.run(bound, request, window);
    if (is_on_host) note_host_time(*bound, elapsed());
  } else {
    runner.run(bound, request, window);
  }
  if (has_history && !device) engine::pass_credit_on(request, false);
  traced.finish(on_device ? device : nullptr);
  profile::add(profile::Counter::windows);
  profile::add(profile::Counter::ops_recorded, end - window.begin());
  window.pop_before(end, ticket);
}

std::pair<std::shared_ptr<engine::BoundPlan>, bool> engine::State::find_plan(const plan::Request& request) {
  if (const auto at = plans.find(request.key); at != plans.end()) {
    profile::add(profile::Counter::plan_hits);
    at->second->last_use = ++plan_clock;
    return {at->second, true};
  }
  profile::add(profile::Counter::plan_misses);
  if (plans.size() >= engine::CompileLimits::most_plans) forget_old_plans();
  std::shared_ptr<engine::BoundPlan> bound = engine::bind_plan(plan::make_plan(request, options.wave_bytes), kernels);
  bound->last_use = ++plan_clock;
  return {plans[request.key] = std::move(bound), false};
}

/// Drops the half of the plans used least recently, and the kernels that only they used.
void engine::State::forget_old_plans() {
  std::vector<uint64_t> uses;
  for (const auto& [key, bound] : plans) uses.push_back(bound->last_use);
  const auto middle = uses.begin() + static_cast<long>(uses.size() / 2);
  std::nth_element(uses.begin(), middle, uses.end());
  std::erase_if(plans, [oldest = *middle](const auto& entry) { return entry.second->last_use < oldest; });
  kernels.forget_unused();
}

void engine::State::wait_for_runner() {
  ++waiting;
  void* state = hooks.unlock ? hooks.unlock() : nullptr;
  {
    std::unique_lock lock(runner_mutex);
    runner_done.wait_for(lock, std::chrono::milliseconds(1));
  }
  if (hooks.lock) hooks.lock(state);
  --waiting;
}

void engine::State::finish(const graph::Version& version) {
  if (!version.window) return;
  const Ref<const graph::Version> held(&version);
  while (version.window) {
    if (failed.holds(version)) {
      retry(version);
    } else {
      auto& window = static_cast<Recorder&>(*version.window);
      run_until(window, window.end());
    }
    if (failed.holds(version)) failed.raise(version);
  }
}

Ref<graph::Version> engine::State::finished(const graph::Storage& storage) {
  Ref<graph::Version> version;
  do {
    version = storage.current;
    finish(*version);
  } while (version != storage.current);
  return version;
}

void engine::State::settle(graph::Version& version) {
  const Ref<graph::Version> held(&version);
  finish(version);
  runner.wait(version);
  if (version.data) return;
  runtime::Device* device = engine::device_of(version);
  if (device)
    runner_of(*device).copy_to_host(version, hooks);
  else
    engine::copy_to_host(version, hooks);
}

void engine::State::settle_users(const Version& version) {
  const Ref<const Version> held(&version);
  while (version.uses > 0) {
    if (version.user) {
      auto& window = static_cast<engine::Recorder&>(*version.user);
      run_until(window, window.end());
    } else {
      for (size_t k = 0; k < recorders.size(); ++k) run_until(*recorders[k], recorders[k]->end());
      for (size_t k = 0; k < retries.size(); ++k) run_until(*retries[k], retries[k]->end());
      if (version.uses == failed.uses_of(version)) return;
    }
  }
}

void engine::State::make_exclusive(Storage& storage) {
  Ref<Version> version;
  do {
    version = finished(storage);
    require<BufferError>(
        !version->lent,
        "the array's memory on the device is shared with another library: what needs it on the host must take a copy");
    settle(*version);
    settle_users(*version);
    runner.wait(*version);
  } while (version != storage.current);
  // Pinned memory keeps its address, whatever else references it.
  constexpr uint32_t ours = 2;
  if (storage.pins > 0 || version->references() == ours) return engine::drop_device_copies(*version);
  Ref<Version> own = eager::make_settled(version->nbytes);
  std::memcpy(own->data, version->data, static_cast<size_t>(own->nbytes));
  storage.current = std::move(own);
}

}  // namespace tessera
