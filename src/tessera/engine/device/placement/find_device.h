/// find_device: which device a name refers to.
#pragma once

#include <string>

#include "tessera/engine/device/placement/prospect.h"
#include "tessera/runtime/device.h"

namespace tessera::engine {

/// "cpu" is null; "gpu", "gpu:N" and "simulated" name devices. For "auto" and "auto:simulated" this is null, too, and
/// find_choice() returns the device that each plan may choose instead of the host: the first GPU, if there is one.
runtime::Device* find_device(const std::string& where);
Prospect* find_choice(const std::string& where);
/// Installs the handler that frees memory when the device runs out of it, and returns the device.
runtime::Device* prepared(runtime::Device& device);

}  // namespace tessera::engine
