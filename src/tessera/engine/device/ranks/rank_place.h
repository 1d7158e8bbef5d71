/// RankPlace: what one rank computes with, its cores or a device, as a place that has parts of arrays. Only its own
/// rank has memory behind it.
#pragma once

#include <memory>
#include <string>

#include "tessera/runtime/device.h"

namespace tessera::engine {

/// `processor`: its name, "cpu" or that of a device. `device`: of this process, where the place is here; null: cores.
std::unique_ptr<runtime::Device> make_rank_place(int rank, bool is_mine, const std::string& processor,
                                                 runtime::Device* device);
/// The rank whose place the device is; -1 for other devices.
int rank_of(const runtime::Device& device);

}  // namespace tessera::engine
