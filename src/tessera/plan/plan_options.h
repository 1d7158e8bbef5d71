/// PlanOptions: what a plan is made for, beside its request.
#pragma once

#include <cstdint>

namespace tessera::plan {

struct PlanOptions {
  int64_t wave_bytes = 0;  // cache that one thread's part of a wave may use (plan/wave.h); 0: no waves
  int places = 1;          // over which its arrays are cut by rows
  bool in_blocks = false;  // reductions that the places do one after the other are cut into blocks of lanes, too
};

}  // namespace tessera::plan
