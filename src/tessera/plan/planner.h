/// Planner: converts a request to a plan by a sequence of passes over one draft.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "tessera/plan/plan.h"
#include "tessera/plan/plan_options.h"
#include "tessera/plan/request.h"

namespace tessera::plan {

struct Draft;

/// One step of planning; it reads and completes what the draft has so far.
struct Pass {
  std::string_view name;
  void (*run)(Draft& draft);
};
/// All passes, in order.
std::span<const Pass> passes();

/// The request, the kernels that its nodes become, why nodes that read each other's results are in different ones, and
/// the plan, as text.
std::string explain(const Request& request, const PlanOptions& options = {}, Bodies bodies = Bodies::shown);

Plan make_plan(const Request& request, const PlanOptions& options = {});

}  // namespace tessera::plan
