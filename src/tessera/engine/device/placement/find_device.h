/// find_device: which devices a name refers to.
#pragma once

#include <string>

#include "tessera/engine/device/placement/device_set.h"
#include "tessera/engine/device/placement/prospect.h"
#include "tessera/runtime/device.h"

namespace tessera::engine {

/// "cpu" is null; "gpu", "gpu:2" and "gpu:0-1" name GPUs, "simulated", "simulated@2" and "simulated:3" the first
/// simulated device, another one, and the first three. Where find_choice() finds something this is null, too.
/// Throws ValueError for other names. The same name gives the same set.
DeviceSet* find_devices(const std::string& where);
/// The same for a name of one device.
runtime::Device* find_device(const std::string& where);
/// "auto": each plan may choose the first GPU, if there is one, instead of the host; "auto:2" and "auto:0-1" those of
/// these GPUs that there are, "auto:simulated:3" simulated devices. Null for other names; throws as above for bad ones.
Prospect* find_choice(const std::string& where);
/// Installs the handler that frees memory when the device runs out of it, and returns the device.
runtime::Device* prepared(runtime::Device& device);

}  // namespace tessera::engine
