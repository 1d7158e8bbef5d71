#include "tessera/engine/device/call_history.h"

#include <algorithm>
#include <cmath>

#include "tessera/base/hash.h"
#include "tessera/engine/device/coherence.h"

namespace tessera::engine {

void learn(double& known, double seen) {
  constexpr double weight = 1.0 / 16;
  known = known == 0 || seen < known ? seen : known + weight * (seen - known);
}

CallRecord& CallHistory::calls_like(const CallCost& cost) {
  const auto size = static_cast<uint64_t>(2 * std::log2(1 + cost.host_steps));
  CallRecord& record = calls_[Hash().add(cost.op).add(size).value()];
  if (record.maker == 0) record.maker = new_maker();
  return record;
}

OperationRecord& CallHistory::operation(std::string_view op) { return operations_[Hash().add(op).value()]; }

double CallHistory::host_time(const CallCost& cost) {
  const double ratio = calls_like(cost).host_ratio, other = operation(cost.op).host_ratio;
  return host_seconds(cost) * (ratio > 0 ? ratio : other > 0 ? other : 1.0);
}

double CallHistory::device_time(const CallCost& cost, const MachineFacts& facts) {
  const CallRecord& record = calls_like(cost);
  return device_seconds(cost, facts) * (record.device_runs >= enough_runs ? std::max(1.0, record.device_ratio) : 1.0);
}

void CallHistory::note_host(const CallCost& cost, double seconds) {
  const double ratio = seconds / host_seconds(cost);
  learn(calls_like(cost).host_ratio, ratio);
  learn(operation(cost.op).host_ratio, ratio);
}

void CallHistory::note_device(const CallCost& cost, double seconds, const MachineFacts& facts) {
  CallRecord& record = calls_like(cost);
  learn(record.device_ratio, seconds / device_seconds(cost, facts));
  ++record.device_runs;
}

}  // namespace tessera::engine
