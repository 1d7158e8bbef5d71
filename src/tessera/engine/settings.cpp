#include "tessera/engine/settings.h"
#include "tessera/library/unlocking.h"

#include <algorithm>
#include <utility>

#include "tessera/base/error.h"
#include "tessera/comm/self/null_communicator.h"
#include "tessera/comm/world.h"
#include "tessera/eager/host_memory.h"
#include "tessera/engine/device/memory/coherence.h"
#include "tessera/engine/device/memory/tiled_memory.h"
#include "tessera/engine/device/placement/find_device.h"
#include "tessera/engine/state.h"
#include "tessera/engine/support/cache_folder.h"
#include "tessera/engine/support/calls.h"
#include "tessera/engine/support/limits.h"
#include "tessera/graph/large_arrays.h"

namespace tessera {

using engine::Recorder;
using graph::Version;

void Settings::expect_stop() {
  state_->kernels.open_in_background();
  if (state_->windows.devices())
    if (runtime::Device* device = state_->windows.devices()->usable()) state_->devices.warm_up(*device);
}

engine::Options& Settings::options() { return state_->options; }

void Settings::set_lock_hooks(void* (*unlock)(), void (*lock)(void*)) {
  state_->hooks = {unlock, lock};
  library::set_unlock_hooks(state_->hooks);
}
void Settings::set_site_hooks(const SiteHooks& hooks) { state_->sites = hooks; }
void* Settings::unlock() { return state_->hooks.unlock ? state_->hooks.unlock() : nullptr; }
void Settings::lock(void* state) {
  if (state_->hooks.lock) state_->hooks.lock(state);
}

void Settings::prepare_fork() { state_->windows.prepare_fork(); }
void Settings::resume_after_fork(bool in_child) {
  if (in_child) engine::Ranks::leave_in_child();
  state_->windows.resume_after_fork(in_child);
}

std::string Settings::explain() {
  const Recorder& window = state_->windows.own();
  std::string text;
  for (int64_t at = window.begin(); at < window.end();) {
    const int64_t stop = window.next_call(at, window.end());
    if (stop > at) {
      const plan::Request request = plan::make_request(window, at, stop);
      text += plan::explain(request, state_->executor.plan_options(request, window));
    }
    if (stop < window.end()) text += engine::describe_call(*window[stop].call);
    at = std::min(stop + 1, window.end());
  }
  return text;
}

std::string Settings::compiler_problem() {
  return state_->kernels.compiler() ? "" : state_->kernels.compiler_problem();
}

void Settings::apply_options() {
  // Plans reference kernels, and kernels keep the code they were compiled to.
  for (auto& window : state_->windows.all()) {
    state_->executor.run_until(*window, window->end());
    window->forget_loop();
  }
  state_->runner.wait_all();
  state_->plans.clear();
  state_->kernels.clear();
  state_->host_routines.clear();
  engine::note_cache_problem(state_->options.cache_folder);
  state_->kernels.set_cache_folder(state_->options.cache_folder);
  state_->kernels.set_policy(state_->options.compile);
}

void Settings::set_device(const std::string& where) {
  engine::DeviceSet* devices = engine::find_devices(where);
  engine::Prospect* choice = engine::find_choice(where);
  engine::Recorder& window = state_->windows.own();
  if (devices == window.devices && choice == window.choice) return;
  const auto change = [&] {
    window.devices = devices;
    window.choice = choice;
    window.forget_choices();
  };
  try {
    state_->executor.run_until(window, window.end());
  } catch (...) {
    change();
    throw;
  }
  if (runtime::Device* device = devices ? devices->usable() : nullptr) state_->devices.warm_up(*device);
  change();
}

void Settings::join_ranks(const std::string& library, int size, double notice, double deadline,
                          const std::string& processor) {
  runtime::Device* const device = engine::find_device(processor);
  comm::join(library, size);
  engine::Ranks::start(*comm::world(), {.notice = notice, .deadline = deadline}, state_->sites, device);
  begin_ranks();
}

void Settings::begin_ranks() {
  for (const auto& window : state_->windows.all()) state_->executor.run_until(*window, window->end());
  // Ranks on other machines must cut their work alike, whatever caches they have.
  if (state_->options.wave_bytes > 0) state_->options.wave_bytes = engine::WaveLimits::bytes_with_ranks;
  state_->windows.begin_ranks(*engine::Ranks::active());
}

void Settings::begin_forecast(const engine::MachineOfPlaces& machine) {
  static comm::NullCommunicator nobody(machine.places);
  engine::Ranks::start(nobody, {}, state_->sites, nullptr, true);
  state_->over_ranks.begin_forecast(machine);
  begin_ranks();
}

const engine::Forecast& Settings::forecast() {
  for (const auto& window : state_->windows.all()) state_->executor.run_until(*window, window->end());
  return *state_->over_ranks.forecast();
}

std::string Settings::device() {
  const engine::Recorder& window = state_->windows.own();
  if (!window.choice) return window.devices ? window.devices->name() : runtime::device_name(nullptr);
  return window.choice->name();
}

std::string Settings::device_problem() {
  for (const auto& runner : state_->devices.all())
    for (const std::string& problem : {runner->device().failure(), runner->problem()})
      if (!problem.empty()) return problem;
  return runtime::device_problem();
}

namespace {

std::string in_task(const std::shared_ptr<const std::string>& task) { return task ? ", in " + *task : ""; }

}  // namespace

std::string Settings::describe_failure() {
  std::string text;
  for (const auto& runner : state_->devices.all()) {
    const runtime::Device& device = runner->device();
    if (device.failure().empty()) continue;
    const std::string name = runtime::device_name(&device);
    std::vector<std::string> lines;
    for (const engine::DeviceRunner::Work& work : runner->unanswered()) {
      if (!work.form) {
        std::string line = format("\n  a launch of {}{}", work.kernel, in_task(work.task));
        if (lines.empty() || lines.back() != line) lines.push_back(std::move(line));
        continue;
      }
      const std::string site = state_->describe_site(work.site);
      std::string line =
          format("\n  {} of shape {}, {}{}{}{}", work.form->op->name, shape_text(work.form->shape),
                 tessera::name(work.form->dtype), site.empty() ? "" : ", recorded at ", site, in_task(work.task));
      if (std::find(lines.begin(), lines.end(), line) == lines.end()) lines.push_back(std::move(line));
    }
    const size_t first = lines.size() - std::min(lines.size(), engine::ReplayLimits::most_failed_lines);
    text += format("\nWork queued on {} since it last answered:", name);
    if (first > 0) text += format("\n  (and {} before)", first);
    for (size_t k = first; k < lines.size(); ++k) text += lines[k];
    text += format(
        "\nArrays that only {} held are lost; what the host has is not, and work goes on there. {} can be used again "
        "in a new process",
        name, name);
    text += engine::DeviceRunner::waits()
                ? "."
                : "; with TESSERA_DEVICE_WAIT=1 there each op is waited for, so that the one that fails is named.";
  }
  return text;
}

std::string Settings::describe_failed(const std::exception& error) {
  const engine::FailedNodes::Raised& raised = state_->executor.failed().raised();
  if (raised.error != &error || dynamic_cast<const engine::RankFailure*>(&error)) return {};
  const std::string_view op = raised.routine.empty() ? raised.form->op->name : raised.routine;
  const std::string site = state_->describe_site(raised.site);
  return format("in {} of shape {}{}{}{}", op, shape_text(raised.form->shape), site.empty() ? "" : ", recorded at ",
                site, in_task(raised.task));
}

std::string Settings::set_task(const std::string& task) {
  std::string before = this->task();
  state_->windows.own().task = task.empty() ? nullptr : std::make_shared<const std::string>(task);
  return before;
}

std::string Settings::task() const {
  const Recorder& window = state_->windows.own();
  return window.task ? *window.task : "";
}

std::vector<LargeArray> Settings::largest_arrays(size_t count) {
  std::vector<LargeArray> arrays;
  for (const graph::LargeArray* entry = graph::least_used(); entry; entry = entry->newer) {
    const Version& version = *entry->version;
    std::string where = version.data || eager::buffer_of(version) ? "cpu" : "";
    for (const runtime::Device* device : engine::devices_of(version))
      where += (where.empty() ? "" : ", ") + runtime::device_name(device);
    for (const engine::Tile& tile : engine::tiles_of(version))
      where += (where.empty() ? "part on " : ", part on ") + runtime::device_name(tile.device);
    if (!where.empty())
      arrays.push_back(
          {entry->shape, entry->dtype, version.nbytes, std::move(where), state_->describe_site(entry->site)});
  }
  std::sort(arrays.begin(), arrays.end(), [](const auto& a, const auto& b) { return a.nbytes > b.nbytes; });
  if (arrays.size() > count) arrays.resize(count);
  return arrays;
}

}  // namespace tessera
