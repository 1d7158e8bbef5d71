/// PlaceWave: the rows of a wave's parts that one place runs, where it runs steps together as one process would.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "tessera/engine/device/tiled/tiled_slots.h"
#include "tessera/plan/plan.h"
#include "tessera/plan/request.h"
#include "tessera/plan/wave.h"
#include "tessera/tile/schedule.h"

namespace tessera::engine {

struct PlaceWave {
  std::vector<plan::WaveRows> rows;  // by part
  std::vector<tile::Range> limits;   // by part: indices of a kernel's outermost axis, or bytes
  size_t end = 0;                    // the action behind the wave
};

/// The wave as the place runs it from the action at `begin` on. Nothing where it gets or sends something in between, or
/// where views or memory lie otherwise than the plan assumes.
std::optional<PlaceWave> find_place_wave(const plan::Plan& plan, const plan::Wave& wave, const plan::Request& request,
                                         const TiledSlots& slots, std::span<const tile::Action> actions, size_t begin,
                                         int place);

}  // namespace tessera::engine
