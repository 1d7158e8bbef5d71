/// Placement: which device a name means.
#pragma once

#include <string>

#include "tessera/runtime/device.h"

namespace tessera::engine {

/// "cpu" is null; "gpu", "gpu:N" and "simulated" name devices. Of "auto" and "auto:simulated" this is null, too, and
/// find_choice() names what each plan may choose instead of the host: the first GPU, if there is one.
runtime::Device* find_device(const std::string& where);
runtime::Device* find_choice(const std::string& where);
/// The name find_device() knows it by.
std::string device_name(const runtime::Device* device);

}  // namespace tessera::engine
