#include "tessera/engine/device/placement/device_set.h"

#include "tessera/base/small_vector.h"
#include "tessera/engine/device/memory/coherence.h"

namespace tessera::engine {

int choose_equal(std::span<const DeviceLoad> devices) {
  int best = -1;
  const auto is_better = [&](const DeviceLoad& device, const DeviceLoad& known) {
    return device.here != known.here ? device.here > known.here : device.here == 0 && device.given < known.given;
  };
  for (size_t k = 0; k < devices.size(); ++k)
    if (devices[k].fits && (best < 0 || is_better(devices[k], devices[static_cast<size_t>(best)])))
      best = static_cast<int>(k);
  return best;
}

runtime::Device* DeviceSet::choose(std::span<const graph::Version* const> operands, int64_t nbytes, double seconds) {
  if (is_one()) return usable();
  SmallVector<DeviceLoad, 8> loads;
  for (size_t k = 0; k < devices_.size(); ++k) {
    const runtime::Device& device = *devices_[k];
    DeviceLoad load{.given = given_[k], .fits = device.is_usable() && nbytes <= device.capacity()};
    for (const graph::Version* version : operands) {
      const bool is_there = version->on_devices && find_copy(*version, device);
      if (is_there && version->lent) return devices_[k];
      if (is_there) load.here += version->nbytes;
    }
    loads.push_back(load);
  }
  const int chosen = choose_equal({loads.data(), loads.size()});
  if (chosen < 0) return usable();  // which says that the work is too large
  given_[static_cast<size_t>(chosen)] += seconds;
  return devices_[static_cast<size_t>(chosen)];
}

}  // namespace tessera::engine
