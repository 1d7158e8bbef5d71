/// write_lane: one lane of a kernel over elements, written into a kernel over a grid at indices that a mapping chooses.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "tessera/mapping/grid_builder.h"
#include "tessera/mapping/quick_division.h"

namespace tessera::mapping {

/// Whether lanes are straight-line code that neither reads what the kernel stores nor sees other lanes, so that they
/// may be computed in any order, several together, and a second time.
bool is_straight(const ir::Kernel& kernel);

/// The value of a load, where the mapping has it at hand; else empty. Asked again where the lane is computed again.
using GivenLoad = std::function<std::optional<ir::Value>(ir::Value load)>;
/// That of mappings which have none.
std::optional<ir::Value> no_given_load(ir::Value load);

/// Loads, computes, tests for floating-point events and stores the lane at these indices, int64, by axis. The test only
/// detects that an event may have happened; then the lane is computed again and the events are found. Nothing is stored
/// before that, so the operands are intact.
void write_lane(GridBuilder& to, const ir::Kernel& kernel, std::span<const ir::Value> at, const GivenLoad& given);

/// One of several lanes of a thread.
struct ThreadLane {
  std::vector<ir::Value> at;
  GivenLoad given;
  /// Its position in an aligned run of `width` neighbours, which are accessed together; -1: in none.
  int position = -1;
};
/// How several lanes of a thread are written.
struct ThreadLanes {
  std::span<const ThreadLane> lanes;
  /// The indices of the k-th, an int64, for when it is computed again, in a loop.
  std::function<std::vector<ir::Value>(ir::Value k)> again;
  int width = 1;
  bool replaces_operands = false;       // results may share elements with operands at the same lane
  QuickDivisions* divisions = nullptr;  // where set, divisions are without branches
  /// Where set, what is known of events: the only lane adds to it, and the caller finds the events of all.
  std::vector<ir::Value>* events = nullptr;
};
/// Several lanes of a thread: first the loads of all, then the values of all, then the stores. Where an event may have
/// happened in one, all are computed again, behind the stores unless these replace operands; where a quick division may
/// be wrong, all are computed again one by one, and stored.
void write_lanes(GridBuilder& to, const ir::Kernel& kernel, const ThreadLanes& of);

/// What is known of events before there were lanes.
std::vector<ir::Value> no_events(GridBuilder& to, const ir::Kernel& kernel);
/// Where an event may have happened, `again` calls write_checks for each lane.
void find_events(GridBuilder& to, const ir::Kernel& kernel, std::span<const ir::Value> events,
                 const std::function<void()>& again);
/// Computes the lane at these indices a second time, with its checks.
void write_checks(GridBuilder& to, const ir::Kernel& kernel, std::vector<ir::Value> at);

/// One load of the lane at these indices, all of whose indices are leaves.
ir::Value write_load(GridBuilder& to, const ir::Kernel& kernel, ir::Value load, std::span<const ir::Value> at);

}  // namespace tessera::mapping
