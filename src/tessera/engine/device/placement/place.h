/// Place: the work whose device Placer::choose decides, and helpers for plans and calls.
#pragma once

#include <functional>

#include "tessera/engine/device/placement/credits.h"
#include "tessera/plan/place.h"
#include "tessera/plan/planner.h"

namespace tessera::engine {

/// A plan, a call of a routine or a user's kernel.
struct Work {
  OperandCredits& operands;
  runtime::Device* device = nullptr;  // where it would run of those that may be chosen; null while none is open
  plan::WorkFacts facts;
  plan::Regret& regret;
  /// Seconds to make what the device lacks; without a device, with opening it.
  std::function<double(runtime::Device*)> making;
  /// Begins to make it in the background.
  std::function<void(runtime::Device*)> get_ready;
};

/// The operands of a call of a routine or of a user's kernel.
struct CallOperands {
  int64_t nbytes = 0;  // without operands: of the results
  bool is_on_host = true;
  bool are_any = true;
  /// Their contents, none of them pending.
  std::function<std::vector<Ref<graph::Version>>()> versions;
};

/// The decision, which a trace notes.
plan::Choice decide(const plan::Weighed& weighed, plan::Regret& regret);
/// Whether no device is considered for a call while its operands are on the host.
bool is_small_call(int64_t nbytes, const plan::CallCost& cost);
/// The work of the plan's kernels; times are not measured yet.
plan::PlanCost find_cost(const plan::Plan& plan);
/// Whether all of the plan's operands are on the host.
bool is_on_host(const plan::Plan& plan, const plan::Request& request);
/// Results inherit the history and the credit of the operands they are computed from.
void pass_credit_on(const plan::Request& request, bool on_device);

}  // namespace tessera::engine
