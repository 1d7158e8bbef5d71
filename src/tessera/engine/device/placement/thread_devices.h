/// ThreadDevices: where the work of one thread may run, as the thread has set it, and what it has run there.
#pragma once

#include <algorithm>
#include <span>

#include "tessera/engine/device/placement/device_set.h"
#include "tessera/engine/device/placement/loop_plans.h"
#include "tessera/engine/device/placement/prospect.h"

namespace tessera::engine {

class PlacedCall;

/// Nodes of a loop that several devices could have shared and that were one part: they are not looked at again until
/// something else is recorded.
struct WholeLoop {
  int64_t nodes = 0;
  uint64_t breaks = 0;  // of the window's loops
  friend bool operator==(const WholeLoop&, const WholeLoop&) = default;
};

struct ThreadDevices {
  DeviceSet* devices = nullptr;  // set for its plans; null: the host
  Prospect* choice = nullptr;    // devices that each plan may choose instead of the host
  LoopPlans loop_plans;          // its recurring plans on large arrays, where plans may choose
  PlacedCall* call = nullptr;    // the innermost call in progress
  WholeLoop whole_loop;

  /// The first device that its plans may run on; null for the host, also when none can be used.
  runtime::Device* target() const { return devices ? devices->usable() : nullptr; }
  /// The device on which work on these versions runs (DeviceSet::choose); null as above.
  runtime::Device* target_for(std::span<const graph::Version* const> operands, int64_t nbytes) const {
    DeviceSet* set = equals();
    if (!set) return nullptr;
    const DeviceSet::Chosen chosen = set->choose(operands, nbytes);
    set->take_turn(chosen);
    return chosen.device;
  }
  bool runs_on(const runtime::Device* device) const {
    return devices && device && std::ranges::find(devices->devices(), device) != devices->devices().end();
  }
  /// Whether its plans may run on one of several devices.
  bool has_several() const {
    const DeviceSet* set = equals();
    return set && !set->is_one();
  }
  /// The equal devices on which its plans run, or may choose to; null where there are none, or none is open.
  DeviceSet* equals() const { return devices || !choice ? devices : choice->devices(); }
  /// Whether its plans may run on the host or on a device.
  bool may_choose() const { return choice && !choice->is_missing(); }
};

}  // namespace tessera::engine
