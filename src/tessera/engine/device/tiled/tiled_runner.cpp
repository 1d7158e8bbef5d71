#include "tessera/engine/device/tiled/tiled_runner.h"

#include <algorithm>
#include <utility>

#include "tessera/base/error.h"
#include "tessera/engine/device/memory/copy_guard.h"
#include "tessera/engine/device/memory/plan_memory.h"
#include "tessera/engine/device/memory/tile_rules.h"
#include "tessera/engine/device/memory/tiled_memory.h"
#include "tessera/engine/device/run/plan_facts.h"
#include "tessera/engine/device/tiled/scheduled_run.h"
#include "tessera/engine/device/tiled/tiled_launches.h"
#include "tessera/engine/support/memory.h"
#include "tessera/profile/counters.h"

namespace tessera::engine {

namespace {

/// Tells the copy guard of what comes from the host, and of what is gathered; edges that neighbours exchange are no
/// copies of arrays. False when it says nothing of such copies.
bool watch_messages(const plan::Plan& plan, const plan::Request& request, const tile::Schedule& schedule,
                    const DeviceSet& devices) {
  if (copy_guard().to_device == CopyRule::allow && copy_guard().between_devices == CopyRule::allow) return false;
  if (schedule.gathered > 0 && copy_guard().between_devices != CopyRule::allow)
    watch_copy_between(nullptr, schedule.gathered, *devices.devices().back(), *devices.devices().front());
  if (copy_guard().to_device == CopyRule::allow) return true;
  for (const tile::Action& action : schedule.actions) {
    const auto* message = std::get_if<tile::Message>(&action);
    if (!message || message->from != tile::host) continue;
    const graph::Version& version = version_at(request, plan.slots[static_cast<size_t>(message->slot)].external);
    watch_copy_in(&version, message->bytes.size(), *devices.devices()[static_cast<size_t>(message->to)]);
  }
  return true;
}

}  // namespace

bool TiledRunner::may_cut(const plan::Request& request, const DeviceSet& devices) {
  if (request.pinned) return false;
  if (tile_rules().cut == CutRule::always) return true;
  const int64_t capacity = devices.capacity(), least = devices.least_cut_bytes();
  bool is_large = false, is_whole = false, is_tiled = false;
  const auto see = [&](const graph::Version& version) {
    if (version.nbytes < least && version.nbytes <= capacity) return engine::is_tiled(version);
    is_large = true;
    is_whole |= devices.where(version) != 0;
    return version.nbytes > capacity || engine::is_tiled(version);
  };
  for (int i = 0; i < request.size() && !is_tiled; ++i) {
    const graph::Node& node = request.node(i);
    is_tiled = node.out && see(*node.out);
    is_tiled |= node.old && see(*node.old);
    graph::each_input(node, [&](const graph::Version& version, int64_t) { is_tiled |= see(version); });
  }
  // What one of them has as a whole is no sooner at the others than computed there.
  return is_tiled || (is_large && !is_whole);
}

bool TiledRunner::is_cut(BoundPlan& plan, const plan::Request& request, const DeviceSet& devices) const {
  if (request.pinned || !DeviceRunners::can_access(request)) return false;
  if (!std::ranges::all_of(devices.devices(), [](const runtime::Device* device) { return device->is_usable(); }))
    return false;
  for (const plan::Slot& slot : plan.plan.slots)
    if (slot.external.node >= 0 && is_tiled(version_at(request, slot.external))) return true;
  if (tile_rules().cut == CutRule::always)
    return has_array(plan.plan, request, static_cast<int64_t>(devices.devices().size()));
  measure(plan, request);
  if (plan.most_node_bytes <= devices.capacity() && !may_cut(request, devices)) return false;
  const auto part = plan.most_node_bytes / static_cast<int64_t>(devices.devices().size());
  return std::ranges::all_of(devices.devices(),
                             [&](const runtime::Device* device) { return part < device->capacity(); });
}

bool TiledRunner::bind(BoundPlan& plan, const DeviceSet& devices) {
  if (plan.elsewhere.set != &devices) {
    plan.elsewhere.in_parts.clear();
    for (runtime::Device* device : devices.devices())
      plan.elsewhere.in_parts.push_back(devices_.of(*device).bind_parts(plan.plan, devices_.compiler_for(*device)));
    plan.elsewhere.set = &devices;
  }
  return std::ranges::all_of(plan.elsewhere.in_parts, [](const auto& bound) { return bound->is_complete; });
}

bool TiledRunner::run(BoundPlan& bound, const plan::Request& request, RunWindow& window, const DeviceSet& devices) {
  if (!bind(bound, devices)) return false;
  const plan::Plan& plan = bound.plan;
  ScheduleCache* const schedules = schedules_of(bound, devices.devices().size());
  ScheduledRun scheduled = schedule_run(plan, request, devices.devices(), most_extra_lanes(), schedules);
  // Logging releases the lock, and other threads may move arrays meanwhile.
  if (watch_messages(plan, request, scheduled.schedule(), devices))
    scheduled = schedule_run(plan, request, devices.devices(), most_extra_lanes(), schedules);
  const tile::Schedule& schedule = scheduled.schedule();
  note_gathered(fallbacks_, request, schedule);
  TiledSlots slots(plan, request, schedule, devices.devices());
  try {
    slots.allocate(margins_);
  } catch (const OutOfMemory&) {
    if (request.size() > 1) throw;  // fewer nodes may fit
    return false;
  }
  profile::add(profile::Counter::device_windows);
  queue(bound, request, window, scheduled, slots);
  note_large_results(plan, request);
  slots.settle();
  return true;
}

void TiledRunner::queue(const BoundPlan& bound, const plan::Request& request, RunWindow& window,
                        const ScheduledRun& scheduled, TiledSlots& slots) {
  TiledLaunches launches(devices_, bound, request, scheduled, slots);
  launches.begin(window);
  slots.prepare();
  try {
    launches.queue();
  } catch (...) {
    window.has_begun = launches.has_written();
    throw;
  }
  if (!DeviceRunner::waits()) return;
  for (int place = 0; place < slots.places(); ++place) slots.device(place).stream().synchronize();
}

}  // namespace tessera::engine
