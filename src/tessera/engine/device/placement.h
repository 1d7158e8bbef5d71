/// Placement: which device a name means.
#pragma once

#include <string>

#include "tessera/runtime/device.h"

namespace tessera::engine {

/// "cpu" is null, as is "auto" as long as no cost model says better; "gpu", "gpu:N" and "simulated" name devices.
runtime::Device* find_device(const std::string& where);
/// The name find_device() knows it by.
std::string device_name(const runtime::Device* device);

}  // namespace tessera::engine
