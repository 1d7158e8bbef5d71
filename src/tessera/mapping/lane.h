/// write_lane: one lane of a kernel over elements, written into a kernel over a grid at indices that a mapping chooses.
#pragma once

#include <functional>
#include <optional>
#include <span>

#include "tessera/mapping/grid_builder.h"

namespace tessera::mapping {

/// Whether lanes are straight-line code that neither reads what the kernel stores nor sees other lanes, so that they
/// may be computed in any order, several together, and a second time.
bool is_straight(const ir::Kernel& kernel);

/// The value of a load, where the mapping has it at hand; else empty. Asked again where the lane is computed again.
using GivenLoad = std::function<std::optional<ir::Value>(ir::Value load)>;

/// Loads, computes, tests for floating-point events and stores the lane at these indices, int64, by axis. The test only
/// detects that an event may have happened; then the lane is computed again and the events are found. Nothing is stored
/// before that, so the operands are intact.
void write_lane(GridBuilder& to, const ir::Kernel& kernel, std::span<const ir::Value> at, const GivenLoad& given);

/// One load of the lane at these indices, all of whose indices are leaves.
ir::Value write_load(GridBuilder& to, const ir::Kernel& kernel, ir::Value load, std::span<const ir::Value> at);

}  // namespace tessera::mapping
