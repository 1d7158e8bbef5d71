#include "tessera/plan/planner.h"

#include <utility>

#include "tessera/plan/draft.h"
#include "tessera/plan/wave.h"

namespace tessera::plan {

Plan make_plan(const Request& request, int64_t wave_bytes) {
  Draft draft{.request = request};
  find_versions(draft);
  fuse_nodes(draft);
  assign_slots(draft);
  lower_groups(draft);
  schedule_memory(draft);
  find_waves(draft.plan, wave_bytes);
  return std::move(draft.plan);
}

}  // namespace tessera::plan
