#include "tessera/engine/device/placement/device_set.h"

#include <algorithm>
#include <utility>

#include "tessera/base/small_vector.h"
#include "tessera/engine/device/memory/coherence.h"

namespace tessera::engine {

int choose_equal(std::span<const DeviceLoad> devices) {
  int best = -1;
  const auto is_better = [&](const DeviceLoad& device, const DeviceLoad& known) {
    if (device.here != known.here || device.here > 0) return device.here > known.here;
    return std::pair(device.held, device.begun) < std::pair(known.held, known.begun);
  };
  for (size_t k = 0; k < devices.size(); ++k)
    if (devices[k].fits && (best < 0 || is_better(devices[k], devices[static_cast<size_t>(best)])))
      best = static_cast<int>(k);
  return best;
}

/// The device that has all operands that are on a device at all, none of which has several copies; null: none.
static runtime::Device* only_device(std::span<const graph::Version* const> operands) {
  runtime::Device* only = nullptr;
  for (const graph::Version* version : operands) {
    if (!version->on_devices) continue;
    runtime::Device* device = version->on_devices->next ? nullptr : device_of(*version);
    if (!device || (only && device != only)) return nullptr;
    only = device;
  }
  return only;
}

runtime::Device* DeviceSet::choose(std::span<const graph::Version* const> operands, int64_t nbytes) {
  if (is_one()) return usable();
  if (runtime::Device* only = only_device(operands); only && only->is_usable() && nbytes <= only->capacity())
    if (std::ranges::find(devices_, only) != devices_.end()) return only;
  SmallVector<DeviceLoad, 8> loads;
  for (size_t k = 0; k < devices_.size(); ++k) {
    const runtime::Device& device = *devices_[k];
    DeviceLoad load{.held = device.statistics().bytes_in_use >> 20,
                    .begun = begun_[k],
                    .fits = device.is_usable() && nbytes <= device.capacity()};
    for (const graph::Version* version : operands) {
      const bool is_there = version->on_devices && find_copy(*version, device);
      if (is_there && version->lent) return devices_[k];
      if (is_there) load.here += version->nbytes;
    }
    loads.push_back(load);
  }
  const int chosen = choose_equal(loads);
  if (chosen < 0) return usable();  // which says that the work is too large
  if (loads[static_cast<size_t>(chosen)].here == 0) ++begun_[static_cast<size_t>(chosen)];
  return devices_[static_cast<size_t>(chosen)];
}

}  // namespace tessera::engine
