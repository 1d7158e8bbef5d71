#include "tessera/engine/engine.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>

#include "tessera/base/error.h"
#include "tessera/base/notices.h"
#include "tessera/eager/host_memory.h"
#include "tessera/engine/cache_folder.h"
#include "tessera/engine/call/call.h"
#include "tessera/engine/device/memory/coherence.h"
#include "tessera/engine/device/memory/lent_memory.h"
#include "tessera/engine/device/placement/place.h"
#include "tessera/engine/device/placement/placement.h"
#include "tessera/engine/impl.h"
#include "tessera/engine/memory.h"
#include "tessera/profile/counters.h"
#include "tessera/profile/ranges.h"
#include "tessera/runtime/host/fork_handlers.h"
#include "tessera/runtime/host/system_memory.h"
#include "tessera/runtime/host/threads.h"

namespace tessera {

using engine::Recorder;

namespace {

codegen::CompilerOptions compiler_options() { return {.cache_folder = engine::default_cache_folder()}; }

}  // namespace

Engine::Impl::Impl(Engine& engine) : self(engine), kernels(compiler_options()) {
  eager::install_memory_hooks();
  runtime::install_fork_handlers();
  const char* where = std::getenv("TESSERA_DEVICE");
  if (!where || !*where) where = "auto";
  try {
    default_device = engine::find_device(where);
  } catch (const Error& error) {
    throw Error(error.kind(), format("TESSERA_DEVICE: {}", error.what()));
  }
  default_choice = engine::find_choice(where);
  options.cache_folder = engine::default_cache_folder();
  engine::note_cache_problem(options.cache_folder);
  options.wave_bytes = runtime::core_cache_bytes();
}

namespace engine {
constinit thread_local Recorder* own_recorder = nullptr;
}  // namespace engine
using engine::own_recorder;

namespace {
/// The window outlives its thread: results pending in it can still be requested.
struct Departure {
  ~Departure() {
    if (own_recorder) own_recorder->idle = true;
    own_recorder = nullptr;
  }
};
}  // namespace

Recorder& Engine::Impl::join() {
  static thread_local Departure departure;
  static_cast<void>(departure);
  for (auto& recorder : recorders) {
    if (recorder->idle.exchange(false)) {
      own_recorder = recorder.get();
      own_recorder->forget_choices();
      own_recorder->device = default_device;
      own_recorder->choice = default_choice;
      return *recorder;
    }
  }
  recorders.push_back(std::make_unique<Recorder>());
  own_recorder = recorders.back().get();
  own_recorder->device = default_device;
  own_recorder->choice = default_choice;
  return *own_recorder;
}

void Engine::Impl::run_until(Recorder& window, int64_t end) { execute(window, end, false); }
void Engine::Impl::start_until(Recorder& window, int64_t end) { execute(window, end, true); }

void Engine::Impl::execute(Recorder& window, int64_t end, bool beside) {
  while (must_wait(window)) wait_for_runner();
  if (end <= window.begin()) return;
  window.running = true;
  struct Done {
    Impl& impl;
    Recorder& window;
    ~Done() {
      window.running = false;
      if (impl.waiting == 0) return;
      std::lock_guard lock(impl.runner_mutex);
      impl.runner_done.notify_all();
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

void Engine::Impl::run_apart(Recorder& window, int64_t end) {
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

void Engine::Impl::run_together(Recorder& window, int64_t end, bool beside) {
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
    const bool is_home = engine::is_home(bound->plan, request);
    start = std::chrono::steady_clock::now();
    runner.run(bound, request, window);
    if (is_home) note_host_time(*bound, elapsed());
  } else {
    runner.run(bound, request, window);
  }
  if (has_history && !device) engine::pass_credit_on(request, false);
  profile::add(profile::Counter::windows);
  profile::add(profile::Counter::ops_recorded, end - window.begin());
  window.pop_before(end, ticket);
}

std::pair<std::shared_ptr<engine::BoundPlan>, bool> Engine::Impl::find_plan(const plan::Request& request) {
  if (const auto at = plans.find(request.key); at != plans.end()) {
    profile::add(profile::Counter::plan_hits);
    at->second->last_use = ++plan_clock;
    return {at->second, true};
  }
  profile::add(profile::Counter::plan_misses);
  if (plans.size() >= most_plans) forget_old_plans();
  std::shared_ptr<engine::BoundPlan> bound = engine::bind_plan(plan::make_plan(request, options.wave_bytes), kernels);
  bound->last_use = ++plan_clock;
  return {plans[request.key] = std::move(bound), false};
}

/// Drops the half of the plans used least recently, and the kernels that only they used.
void Engine::Impl::forget_old_plans() {
  std::vector<uint64_t> uses;
  for (const auto& [key, bound] : plans) uses.push_back(bound->last_use);
  const auto middle = uses.begin() + static_cast<long>(uses.size() / 2);
  std::nth_element(uses.begin(), middle, uses.end());
  std::erase_if(plans, [oldest = *middle](const auto& entry) { return entry.second->last_use < oldest; });
  kernels.forget_unused();
}

void Engine::Impl::wait_for_runner() {
  ++waiting;
  void* state = hooks.unlock ? hooks.unlock() : nullptr;
  {
    std::unique_lock lock(runner_mutex);
    runner_done.wait_for(lock, std::chrono::milliseconds(1));
  }
  if (hooks.lock) hooks.lock(state);
  --waiting;
}

void Engine::Impl::finish(const graph::Version& version) {
  if (!version.window) return;
  const Ref<const graph::Version> held(&version);
  while (version.window) {
    auto& window = static_cast<Recorder&>(*version.window);
    run_until(window, window.end());
  }
}

Ref<graph::Version> Engine::Impl::finished(const graph::Storage& storage) {
  Ref<graph::Version> version;
  do {
    version = storage.current;
    finish(*version);
  } while (version != storage.current);
  return version;
}

void Engine::Impl::settle(graph::Version& version) {
  const Ref<graph::Version> held(&version);
  finish(version);
  runner.wait(version);
  if (version.data) return;
  runtime::Device* device = engine::device_of(version);
  if (device)
    runner_of(*device).bring_home(version, hooks);
  else
    engine::bring_home(version, hooks);
}

Engine::Engine() : impl_(std::make_unique<Impl>(*this)) {}
Engine::~Engine() = default;

Engine& Engine::instance() {
  // Never destroyed: arrays outlive static destructors.
  static auto& engine = *new Engine;
  return engine;
}

void Engine::expect_stop() {
  impl_->kernels.open_in_background();
  if (impl_->default_device) impl_->warm_up(*impl_->default_device);
}

Engine::Options& Engine::options() { return impl_->options; }

void Engine::set_lock_hooks(void* (*unlock)(), void (*lock)(void*)) { impl_->hooks = {unlock, lock}; }
void Engine::set_site_hooks(const SiteHooks& hooks) { impl_->sites = hooks; }
void* Engine::unlock() { return impl_->hooks.unlock ? impl_->hooks.unlock() : nullptr; }
void Engine::lock(void* state) {
  if (impl_->hooks.lock) impl_->hooks.lock(state);
}

void Engine::prepare_fork() {
  impl_->forker = std::this_thread::get_id();
  const auto running = [](const auto& window) { return window->running; };
  while (std::any_of(impl_->recorders.begin(), impl_->recorders.end(), running)) impl_->wait_for_runner();
}

void Engine::resume_after_fork(bool in_child) {
  impl_->forker = {};
  if (!in_child) return;
  std::construct_at(&impl_->runner_mutex);  // a thread that does not exist here may have held it
  std::construct_at(&impl_->runner_done);
  impl_->waiting = 0;
  Recorder& mine = impl_->recorder();
  for (auto& window : impl_->recorders) {
    window->idle = window.get() != &mine;
    if (window.get() != &mine) window->call = nullptr;  // it is on the stack of a thread that does not exist here
  }
}

void Engine::flush() {
  Recorder& window = impl_->recorder();
  impl_->run_until(window, window.end());
}

void Engine::synchronize() {
  flush();
  impl_->runner.wait_all();
  for (auto& of_device : impl_->device_runners) of_device->synchronize();
}

std::vector<FloatReport> Engine::take_reports() {
  if (impl_->runner.has_events()) impl_->runner.collect();
  return std::exchange(impl_->recorder().reports, {});
}
bool Engine::has_reports() const {
  return !impl_->recorder().reports.empty() || impl_->runner.has_events() || !impl_->notices.empty() || has_notices();
}

std::string Engine::explain() {
  const Recorder& window = impl_->recorder();
  std::string text;
  for (int64_t at = window.begin(); at < window.end();) {
    const int64_t stop = window.next_call(at, window.end());
    if (stop > at) text += plan::explain(plan::make_request(window, at, stop), impl_->options.wave_bytes);
    if (stop < window.end()) text += engine::describe_call(*window[stop].call);
    at = std::min(stop + 1, window.end());
  }
  return text;
}

std::string Engine::compiler_problem() { return impl_->kernels.compiler() ? "" : impl_->kernels.compiler_problem(); }

void Engine::apply_options() {
  // Plans reference kernels, and kernels keep the code they were compiled to.
  for (auto& window : impl_->recorders) {
    impl_->run_until(*window, window->end());
    window->forget_loop();
  }
  impl_->runner.wait_all();
  impl_->plans.clear();
  impl_->kernels.clear();
  impl_->host_routines.clear();
  engine::note_cache_problem(impl_->options.cache_folder);
  impl_->kernels.set_cache_folder(impl_->options.cache_folder);
  impl_->kernels.set_policy(static_cast<engine::CompilePolicy>(impl_->options.compile));
}

}  // namespace tessera
