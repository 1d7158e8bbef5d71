/// RankPlace: the cores of one rank as a place that has parts of arrays. Only its own rank has memory behind it.
#pragma once

#include <memory>

#include "tessera/runtime/device.h"

namespace tessera::engine {

std::unique_ptr<runtime::Device> make_rank_place(int rank, bool is_mine);
/// The rank whose place the device is; -1 for other devices.
int rank_of(const runtime::Device& device);

}  // namespace tessera::engine
