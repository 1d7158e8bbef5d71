/// Placement: which device a name means.
#pragma once

#include <string>

#include "tessera/engine/bound_plan.h"
#include "tessera/engine/device/prospect.h"
#include "tessera/plan/planner.h"
#include "tessera/runtime/device.h"

namespace tessera::engine {

/// "cpu" is null; "gpu", "gpu:N" and "simulated" name devices. Of "auto" and "auto:simulated" this is null, too, and
/// find_choice() gives what each plan may choose instead of the host: the first GPU, if there turns out to be one.
runtime::Device* find_device(const std::string& where);
Prospect* find_choice(const std::string& where);
/// A device told where to turn when its memory runs out.
runtime::Device* prepared(runtime::Device& device);
/// Fills in what the plan holds while it runs, once.
void measure(BoundPlan& bound, const plan::Request& request);
/// Whether the request works on nothing but single elements that the host has or makes: there it is quicker than a
/// launch.
bool is_all_elements_of_host(const plan::Request& request);
/// The name find_device() knows it by.
std::string device_name(const runtime::Device* device);

}  // namespace tessera::engine
