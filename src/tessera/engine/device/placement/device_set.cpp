#include "tessera/engine/device/placement/device_set.h"

#include <algorithm>

#include "tessera/base/small_vector.h"
#include "tessera/engine/device/memory/coherence.h"
#include "tessera/engine/support/limits.h"

namespace tessera::engine {

int choose_equal(std::span<const DeviceLoad> devices, size_t next) {
  int best = -1;
  for (size_t k = 0; k < devices.size(); ++k)
    if (devices[k].fits && (best < 0 || devices[k].here > devices[static_cast<size_t>(best)].here))
      best = static_cast<int>(k);
  if (best < 0 || devices[static_cast<size_t>(best)].here > 0) return best;
  while (!devices[next].fits) next = (next + 1) % devices.size();
  return static_cast<int>(next);
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
    DeviceLoad load{.fits = device.is_usable() && nbytes <= device.capacity()};
    for (const graph::Version* version : operands) {
      const bool is_there = version->on_devices && find_copy(*version, device);
      if (is_there && version->lent) return devices_[k];
      if (is_there) load.here += version->nbytes;
    }
    loads.push_back(load);
  }
  const int chosen = choose_equal(loads, next_);
  if (chosen < 0) return usable();  // which says that the work is too large
  runtime::Device* device = devices_[static_cast<size_t>(chosen)];
  // What is small says nothing of where the next work begins.
  if (loads[static_cast<size_t>(chosen)].here > 0 || nbytes < PlacementLimits::spread_bytes) return device;
  const graph::Version* first = operands.empty() ? nullptr : operands[0];
  if (first && first == asked_ && answered_->is_usable()) return answered_;
  next_ = (static_cast<size_t>(chosen) + 1) % devices_.size();
  asked_ = first, answered_ = device;
  return device;
}

}  // namespace tessera::engine
