// Running of recorded nodes: when the host asks, when a window is full, and again where that failed.
#include <algorithm>
#include <chrono>
#include <cstring>

#include "tessera/base/error.h"
#include "tessera/eager/host_memory.h"
#include "tessera/engine/device/memory/coherence.h"
#include "tessera/engine/device/memory/lent_memory.h"
#include "tessera/engine/device/placement/place.h"
#include "tessera/engine/device/placement/plan_facts.h"
#include "tessera/engine/limits.h"
#include "tessera/engine/memory.h"
#include "tessera/engine/state.h"
#include "tessera/profile/counters.h"
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
  while (window.begin() < end) {
    const int64_t stop = one_by_one ? window.begin() + 1 : window.next_call(window.begin(), end);
    try {
      if (window[window.begin()].call)
        run_call_node(window);
      else
        run_together(window, stop, beside);
    } catch (const OutOfMemory&) {
      run_apart(window, stop);
    } catch (const engine::LostElements&) {
      run_apart(window, stop);
    }
  }
}

void engine::State::run_apart(Recorder& window, int64_t end) {
  if (window[window.begin()].call) return run_call_apart(window);
  const int64_t count = end - window.begin();
  try {
    return run_together(window, end, false);
  } catch (const OutOfMemory&) {
    if (count == 1) engine::refuse_result(window[window.begin()]);
  } catch (const engine::LostElements&) {
    if (count == 1) {
      engine::note_large_result(plan::make_request(window, window.begin(), end), 0);
      engine::lose(*window[window.begin()].out, *find_failed_device());
      return window.pop_before(end);
    }
  }
  run_apart(window, window.begin() + count / 2);
  run_apart(window, end);
}

namespace {

/// "window of 3: multiply, add, sum", for an attached profiler; long names are cut.
std::string name_of(const plan::Request& request) {
  constexpr size_t longest = 120;
  if (!profile::has_listener()) [[likely]]
    return {};
  std::string text = format("window of {}:", request.size());
  for (int i = 0; i < request.size() && text.size() < longest; ++i)
    text += format("{} {}", i ? "," : "", ops::OpTable::standard()[request.node(i).form->op].name);
  return text;
}

}  // namespace

void engine::State::run_together(Recorder& window, int64_t end, bool beside) {
  const plan::Request request = plan::make_request(window, window.begin(), end);
  const std::string name = name_of(request);
  const profile::Range range(name.c_str());
  const auto [bound, found] = find_plan(request);
  window.note_plan(request.size(), found);
  const bool writes_lent = request.pinned && engine::writes_lent_memory(request);
  runtime::Device* device = window.choice                              ? place(bound, request, window)
                            : engine::is_all_elements_of_host(request) ? nullptr
                                                                       : window.target();
  const bool has_history =
      window.choice && !window.choice->is_missing() && (device_has_results || !bound->cost.is_small());
  if (window.choice) window.note_choice(device != nullptr);
  auto start = window.choice ? std::chrono::steady_clock::now() : std::chrono::steady_clock::time_point();
  const auto elapsed = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); };
  uint64_t ticket = 0;  // background work uses what the nodes read until this ticket is done
  if (device && run_on_device(bound, request, window, *device)) {
    // The work is queued; reading a result waits for it.
    if (window.choice && !device->takes_ir()) note_device_time(*bound, *device, elapsed());
    if (window.choice) engine::pass_credit_on(request, true);
  } else if (writes_lent) {
    runner.run(bound, request, window);
    engine::return_lent_memory(request);
  } else if (beside && engine::Runner::may_start(*bound)) {
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
    auto& window = static_cast<Recorder&>(*version.window);
    run_until(window, window.end());
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
  if (storage.pins > 0 || version->references() == ours) return engine::drop_device_copy(*version);
  Ref<Version> own = eager::make_settled(version->nbytes);
  std::memcpy(own->data, version->data, static_cast<size_t>(own->nbytes));
  storage.current = std::move(own);
}

}  // namespace tessera
