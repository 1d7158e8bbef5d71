/// Which slabs of a call's operands each place computes with.
#pragma once

#include <optional>
#include <vector>

#include "tessera/engine/device/placement/device_set.h"
#include "tessera/engine/record/recorder.h"
#include "tessera/graph/call.h"
#include "tessera/routines/parts.h"
#include "tessera/tile/ranges.h"

namespace tessera::engine {

/// The devices, or ranks, that have the operands or are to have them; none where they differ.
std::vector<runtime::Device*> places_of(const graph::Call& call, const Recorder& window);

/// The slabs [begin, end) of each place, in order; nothing where the operands' slabs share bytes, or nothing is cut nor
/// to be cut. May cut an operand, beside the memory that has all of it.
std::optional<std::vector<tile::Range>> slabs_of_places(graph::Call& call, const routines::Parts& parts,
                                                        const Recorder& window);

/// Cuts what a call made as a whole on one of the devices, where arrays of its length are cut; false where they are
/// not, or there is no room for the parts.
bool cut_result(graph::Version& version, const View& view, const runtime::Buffer& made, runtime::Device& device,
                const DeviceSet& devices);

/// The bytes of slabs [begin, end) of a view along an axis, which are not none.
tile::Range bytes_of_slabs(const View& view, int axis, const tile::Range& slabs);

}  // namespace tessera::engine
