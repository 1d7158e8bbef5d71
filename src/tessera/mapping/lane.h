/// write_lane: one lane of a kernel over elements, written into a kernel over a grid at indices that a mapping chooses.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

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

/// One of several lanes of a thread.
struct ThreadLane {
  std::vector<ir::Value> at;
  GivenLoad given;
};
/// Several lanes of a thread, whose results overlap no operand: first the loads of all, then the values of all, then
/// the stores. Where an event may have happened in one, all are computed again, in a loop: the k-th, an int64, at the
/// indices that `again` gives.
void write_lanes(GridBuilder& to, const ir::Kernel& kernel, std::span<const ThreadLane> lanes,
                 const std::function<std::vector<ir::Value>(ir::Value k)>& again);

/// One load of the lane at these indices, all of whose indices are leaves.
ir::Value write_load(GridBuilder& to, const ir::Kernel& kernel, ir::Value load, std::span<const ir::Value> at);

}  // namespace tessera::mapping
