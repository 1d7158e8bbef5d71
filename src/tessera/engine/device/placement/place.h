/// Place: what plans and calls ask placement by.
#pragma once

#include <functional>
#include <vector>

#include "tessera/graph/storage.h"
#include "tessera/plan/cost_model.h"
#include "tessera/plan/planner.h"

namespace tessera::engine {

/// The operands of a call of a routine or of a user's kernel.
struct CallOperands {
  int64_t nbytes = 0;  // without operands: of the results
  bool is_on_host = true;
  bool are_any = true;
  /// Their contents, none of them pending.
  std::function<std::vector<Ref<graph::Version>>()> versions;
};

/// Whether no device is considered for a call while its operands are on the host.
bool is_small_call(int64_t nbytes, const plan::CallCost& cost);
/// The work of the plan's kernels; times are not measured yet.
plan::PlanCost find_cost(const plan::Plan& plan);
/// Whether all of the plan's operands are on the host.
bool is_on_host(const plan::Plan& plan, const plan::Request& request);

}  // namespace tessera::engine
