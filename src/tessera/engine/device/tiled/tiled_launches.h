/// TiledLaunches: what a run over several devices queues on them, action by action or as a replay of an earlier run.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "tessera/engine/device/run/device_runners.h"
#include "tessera/engine/device/tiled/place_launches.h"
#include "tessera/engine/device/tiled/scheduled_run.h"
#include "tessera/engine/device/tiled/tiled_slots.h"
#include "tessera/engine/host/bound_plan.h"
#include "tessera/engine/support/run_window.h"
#include "tessera/plan/move_joiner.h"
#include "tessera/plan/request.h"
#include "tessera/tile/schedule.h"

namespace tessera::engine {

class TiledLaunches {
 public:
  /// The plan is bound to these devices for runs by parts.
  TiledLaunches(DeviceRunners& devices, const BoundPlan& bound, const plan::Request& request, const ScheduledRun& run,
                const TiledSlots& slots)
      : devices_(devices), bound_(bound), request_(request), run_(run), slots_(slots) {}

  /// Takes words for the events of the plan's kernels.
  void begin(RunWindow& window);
  /// A loop over cut arrays queues the same again and again: that is captured on all devices at once, and queued as a
  /// whole.
  void queue();
  /// Whether something was queued before queue() threw.
  bool has_written() const { return has_written_; }

 private:
  DeviceRunner& runner(int place) const { return devices_.of(slots_.device(place)); }
  DevicePlan& plan_of(int place) const { return *bound_.elsewhere.in_parts[static_cast<size_t>(place)]; }
  bool may_repeat() const;
  ReplayKey key() const;
  void count_messages() const;
  void queue_each();
  void queue_one(const tile::Action& action);
  /// Bytes at a place.
  struct Touched {
    int place;
    const char* begin;
    const char* end;
    bool writes;
  };
  Touched touched(int32_t slot, int place, const tile::Range& bytes, bool writes) const {
    const char* address = slots_.address(slot, place);
    return {place, address + bytes.begin, address + bytes.end, writes};
  }
  void add_touched(const tile::Action& action, std::vector<Touched>& all) const;
  std::vector<tile::Action> with_early_messages() const;
  bool is_repeated(const tile::Launch& part) const;
  /// Small copies and fills that a place does in one launch.
  struct Moves {
    int place;
    plan::MoveJoiner joiner;
    std::vector<tile::Action> actions{};
    std::vector<int32_t> slots{};  // that they touch
  };
  std::optional<plan::CopyRequest> small_copy(const tile::Action& action) const;
  bool can_join(const Moves& moves, const plan::CopyRequest& request) const;
  bool add_to(Moves& moves, const tile::Action& action) const;
  void queue_moves(Moves& moves);

  DeviceRunners& devices_;
  const BoundPlan& bound_;
  const plan::Request& request_;
  const ScheduledRun& run_;
  const TiledSlots& slots_;
  std::vector<PlaceLaunches> launches_;  // by place
  bool may_replay_ = false;              // it may be a replay
  bool has_written_ = false;
};

}  // namespace tessera::engine
