#include "tessera/plan/planner.h"

#include "tessera/plan/draft.h"
#include "tessera/plan/text/draft_text.h"
#include "tessera/plan/text/request_text.h"
#include "tessera/plan/wave.h"

namespace tessera::plan {

namespace {

constexpr Pass all_passes[] = {
    {"find_versions", find_versions},      // readers and writers of each version, dead versions
    {"fuse_nodes", fuse_nodes},            // assigns nodes to groups
    {"assign_slots", assign_slots},        // assigns versions to memory
    {"lower_groups", lower_groups},        // converts groups to kernels
    {"schedule_memory", schedule_memory},  // when blocks of memory are allocated and dropped
    {"find_waves", [](Draft& draft) { find_waves(draft.plan, draft.options.wave_bytes); }},  // which steps run together
};

}  // namespace

std::span<const Pass> passes() { return all_passes; }

Plan make_plan(const Request& request, const PlanOptions& options) {
  Draft draft{.request = request, .options = options};
  for (const Pass& pass : all_passes) pass.run(draft);
  return std::move(draft.plan);
}

std::string explain(const Request& request, const PlanOptions& options, Bodies bodies) {
  Draft draft{.request = request, .options = options, .notes_apart = true};
  for (const Pass& pass : all_passes) pass.run(draft);
  return print(request) + print_groups(draft) + print_apart(draft) + print(draft.plan, bodies);
}

}  // namespace tessera::plan
