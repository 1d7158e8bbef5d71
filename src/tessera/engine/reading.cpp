#include "tessera/engine/reading.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "tessera/base/notices.h"
#include "tessera/eager/host_array.h"
#include "tessera/eager/host_memory.h"
#include "tessera/engine/device/memory/coherence.h"
#include "tessera/engine/state.h"
#include "tessera/engine/support/limits.h"
#include "tessera/profile/account.h"
#include "tessera/runtime/device.h"

namespace tessera {

using engine::Recorder;
using graph::Version;

const char* Reading::read(const Array& array) {
  const profile::InRow row(profile::Row::reading);
  Ref<Version> version;
  do {
    version = array.storage->current;
    state_->executor.settle(*version);
  } while (version != array.storage->current);
  return engine::host_data(*version) + array.view.offset;
}

char* Reading::write(const Array& array) {
  const profile::InRow row(profile::Row::reading);
  state_->executor.make_exclusive(*array.storage);
  return array.storage->current->data + array.view.offset;
}

const char* Reading::at_once(const Array& array) {
  const char* data = eager::readable(array);
  return data && !engine::Placer::is_chosen_for(array, state_->windows.own()) ? data : nullptr;
}

bool Reading::finish_on_host(const Array& array) {
  if (state_->windows.own().target()) return false;
  if (eager::readable(array)) [[likely]]
    return true;
  const profile::InRow row(profile::Row::reading);
  const Ref<Version> version = state_->executor.finished(*array.storage);
  if (version->data) state_->runner.wait(*version);
  return eager::readable(array) != nullptr;
}

void Reading::pin(const Array& array) {
  state_->executor.make_exclusive(*array.storage);
  ++array.storage->pins;
}

void Reading::unpin(const Array& array) {
  graph::Version& version = *array.storage->current;
  if (--array.storage->pins == 0) version.lent = false;
}

namespace {

/// The byte range from the lowest element of a view to the end of the highest.
struct Hull {
  int64_t low, high;
  explicit Hull(const View& view) : low(view.offset), high(view.offset + view.itemsize()) {
    for (int axis = 0; axis < view.ndim(); ++axis) {
      const int64_t reach = (view.shape[axis] - 1) * view.strides[axis];
      (reach < 0 ? low : high) += reach;
    }
  }
};

}  // namespace

Array Reading::nearby(const Array& array) {
  if (array.storage->current->data || array.view.size() == 0) return array;
  const profile::InRow row(profile::Row::reading);
  const Ref<graph::Version> held = state_->executor.finished(*array.storage);
  graph::Version& version = *held;
  runtime::Device* device = engine::device_of(version);
  const Hull hull(array.view);
  const int64_t nbytes = hull.high - hull.low;
  const bool is_part = version.nbytes > engine::CopyLimits::bytes_a_synchronisation && nbytes <= version.nbytes / 8 &&
                       version.partial.reads < std::min(version.nbytes / engine::CopyLimits::bytes_a_synchronisation,
                                                        engine::CopyLimits::most_parts);
  if (version.data || !device || !device->failure().empty() || !is_part) return array;
  ++version.partial.reads;
  Array part;
  part.storage = Ref<graph::Storage>(graph::Storage::make());
  part.storage->current = eager::make_settled(nbytes);
  part.view = array.view;
  part.view.offset -= hull.low;
  engine::copy_part_to_host(version, hull.low, nbytes, part.storage->current->data, state_->hooks);
  state_->devices.of(*device).collect_events();
  return part;
}

void Reading::flush() {
  const profile::InRow row(profile::Row::reading);
  Recorder& window = state_->windows.own();
  state_->executor.run_until(window, window.end());
  if (Recorder* over_ranks = state_->windows.over_ranks()) state_->executor.run_until(*over_ranks, over_ranks->end());
}

void Reading::wait_for_host() {
  flush();
  state_->runner.wait_all();
}

void Reading::synchronize() {
  const profile::InRow row(profile::Row::waiting);
  wait_for_host();
  // What other threads queue meanwhile is not waited for.
  std::vector<std::pair<engine::DeviceRunner*, engine::DeviceRunner::Queued>> queued;
  for (const auto& runner : state_->devices.all()) queued.emplace_back(runner.get(), runner->mark());
  for (auto& [runner, until] : queued) runner->wait_for(until, state_->hooks);
}

std::vector<FloatReport> Reading::take_reports() {
  if (state_->runner.has_events()) state_->runner.collect();
  std::vector<FloatReport> reports = std::exchange(state_->windows.own().reports, {});
  if (Recorder* over_ranks = state_->windows.over_ranks()) {
    reports.insert(reports.end(), over_ranks->reports.begin(), over_ranks->reports.end());
    over_ranks->reports.clear();
  }
  return reports;
}
bool Reading::has_reports() const {
  const Recorder* over_ranks = state_->windows.over_ranks();
  return !state_->windows.own().reports.empty() || (over_ranks && !over_ranks->reports.empty()) ||
         state_->runner.has_events() || state_->fallbacks.has_notices() || has_notices();
}

std::vector<std::string> Reading::take_notices() { return state_->fallbacks.take_notices(); }

}  // namespace tessera
