/// What routines derived from arrays on a device and keep until the elements change. Guarded by the engine's lock, as
/// versions are; everything that writes a device's copy in place, or releases it, sets Version::kept to 0.
#pragma once

#include <string_view>

#include "tessera/graph/storage.h"
#include "tessera/routines/launcher.h"

namespace tessera::engine {

/// Null where nothing of that name is kept.
const routines::Kept* find_kept(const graph::Version& version, std::string_view what, const runtime::Device& device);
/// Keeps it in place of the one used least recently, where it is small beside the device's memory.
void keep(graph::Version& version, std::string_view what, routines::Kept kept, const runtime::Device& device);
/// Releases all of it; returns how many bytes.
int64_t forget_kept(const runtime::Device& device);

}  // namespace tessera::engine
