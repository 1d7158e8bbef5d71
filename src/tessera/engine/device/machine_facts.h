/// What the cost model knows of this machine: measured when first needed, kept in a file from one process to the next.
#pragma once

#include <string>

#include "tessera/engine/device/cost_model.h"
#include "tessera/runtime/device.h"

namespace tessera::engine {

/// An empty folder keeps nothing. Of a device that has no memory to spare what is usual.
MachineFacts find_machine_facts(runtime::Device& device, const std::string& folder);
MachineFacts measure_machine(runtime::Device& device);
/// The file's text and back; nothing for another machine's or a damaged one.
std::string write_facts(const MachineFacts& facts, const std::string& machine);
bool read_facts(const std::string& text, const std::string& machine, MachineFacts& facts);

}  // namespace tessera::engine
