/// Placement: which device a name refers to, and the memory that plans need.
#pragma once

#include <string>

#include "tessera/engine/bound_plan.h"
#include "tessera/engine/device/placement/prospect.h"
#include "tessera/plan/planner.h"
#include "tessera/runtime/device.h"

namespace tessera::engine {

/// "cpu" is null; "gpu", "gpu:N" and "simulated" name devices. For "auto" and "auto:simulated" this is null, too, and
/// find_choice() returns the device that each plan may choose instead of the host: the first GPU, if there is one.
runtime::Device* find_device(const std::string& where);
Prospect* find_choice(const std::string& where);
/// Installs the handler that frees memory when the device runs out of it, and returns the device.
runtime::Device* prepared(runtime::Device& device);
/// Computes once how much memory the plan holds while it runs.
void measure(BoundPlan& bound, const plan::Request& request);
/// Whether the request computes single elements only, from operands on the host: the host does that faster than a
/// launch.
bool is_all_elements_of_host(const plan::Request& request);
/// The name by which find_device() finds it.
std::string device_name(const runtime::Device* device);

}  // namespace tessera::engine
