#include "tessera/engine/device/placement/call_history.h"

#include <algorithm>
#include <cmath>

#include "tessera/base/hash.h"
#include "tessera/engine/device/memory/coherence.h"
#include "tessera/engine/support/limits.h"

namespace tessera::engine {

void learn(double& known, double seen) {
  known = known == 0 || seen < known ? seen
                                     : known + plan::PlacementLimits::weight *
                                                   (std::min(seen, plan::PlacementLimits::outlier * known) - known);
}

CallRecord& CallHistory::calls_like(const plan::CallCost& cost) {
  const auto size = static_cast<uint64_t>(2 * std::log2(1 + cost.host_steps));
  CallRecord& record = calls_[Hash().add(cost.op).add(size).value()];
  if (record.maker == 0) record.maker = new_maker();
  return record;
}

OperationRecord& CallHistory::operation(std::string_view op) { return operations_[Hash().add(op).value()]; }

double CallHistory::host_time(const plan::CallCost& cost) {
  const CallRecord& alike = calls_like(cost);
  const OperationRecord& all = operation(cost.op);
  const double ratio = alike.host_runs >= plan::PlacementLimits::enough_runs ? alike.host_ratio
                       : all.host_runs >= plan::PlacementLimits::enough_runs ? all.host_ratio
                                                                             : 1.0;
  return plan::host_seconds(cost) * ratio;
}

double CallHistory::device_time(const plan::CallCost& cost, const plan::MachineFacts& facts) {
  const CallRecord& record = calls_like(cost);
  const double modelled = plan::device_seconds(cost, facts);
  if (record.device_runs < plan::PlacementLimits::enough_runs) return modelled;
  const double waited =
      seconds_waited_for(record.maker) / static_cast<double>(std::max<int64_t>(1, record.runs_on_device));
  return std::max(modelled, (cost.synchronisations > 0 ? modelled : modelled * record.device_ratio) + waited);
}

void CallHistory::note_host(const plan::CallCost& cost, double seconds) {
  const double ratio = seconds / plan::host_seconds(cost);
  CallRecord& alike = calls_like(cost);
  OperationRecord& all = operation(cost.op);
  learn(alike.host_ratio, ratio);
  learn(all.host_ratio, ratio);
  alike.host_runs = std::min(plan::PlacementLimits::enough_runs, alike.host_runs + plan::runs_known(seconds));
  all.host_runs = std::min(plan::PlacementLimits::enough_runs, all.host_runs + plan::runs_known(seconds));
}

void CallHistory::note_device(const plan::CallCost& cost, double seconds, const plan::MachineFacts& facts) {
  CallRecord& record = calls_like(cost);
  const double modelled = plan::device_seconds(cost, facts);
  learn(record.device_ratio, seconds / modelled);
  note_queued(record.maker, modelled);
  if (cost.synchronisations > 0) divide_wait(std::max(0.0, seconds - modelled));
  ++record.device_runs;
}

}  // namespace tessera::engine
