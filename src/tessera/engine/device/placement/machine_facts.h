/// MachineFacts: the cost model's parameters of this machine, measured when first needed and cached in a file across
/// processes.
#pragma once

#include <string>

#include "tessera/plan/cost_model.h"
#include "tessera/runtime/device.h"

namespace tessera::engine {

/// The facts of a device. An empty folder disables the file. Returns typical values for a device without memory to
/// spare.
plan::MachineFacts find_machine_facts(runtime::Device& device, const std::string& folder);
plan::MachineFacts measure_machine(runtime::Device& device);
/// Converts the facts to the file's text and back; reading fails for another machine's file or a damaged one.
std::string write_facts(const plan::MachineFacts& facts, const std::string& machine);
bool read_facts(const std::string& text, const std::string& machine, plan::MachineFacts& facts);

}  // namespace tessera::engine
