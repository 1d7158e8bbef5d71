/// CallHistory: what earlier calls of routines and libraries took, on the host and on a device, including the copies of
/// their results to the host.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <unordered_map>

#include "tessera/plan/cost_model.h"

namespace tessera::engine {

/// The history of calls of one operation with similar sizes.
struct CallRecord {
  double host_ratio = 0;  // measured host time divided by plan::host_seconds()
  int host_runs = 0;      // number of runs behind host_ratio, see plan::runs_known()
  // Measured device time, until the call is queued or its result is there, divided by device_seconds().
  double device_ratio = 0;
  int device_runs = 0;  // number of runs behind device_ratio
  // Identifies the results, so that waiting for them and copying them to the host is charged to these calls.
  uint32_t maker = 0;
  int64_t runs_on_device = 0;
};

/// The history of all calls of one operation.
struct OperationRecord {
  double host_ratio = 0;  // over all sizes
  int host_runs = 0;
  bool has_run_on_device = false;
  bool is_missing = false;  // its library is not installed
  double missed = 0;        // seconds that calls without operands lost on the host while its kernels were not made
  // Of a library: it was opened in the background; null while that has not begun.
  std::shared_ptr<std::atomic<bool>> is_open;
};

/// Updates the estimate `known` with the measurement `seen`: a faster run replaces it, a slower one raises it only
/// slowly and by a limited share, because the machine may be or have been busy.
void learn(double& known, double seen);

class CallHistory {
 public:
  /// References stay valid.
  CallRecord& calls_like(const plan::CallCost& cost);
  OperationRecord& operation(std::string_view op);

  double host_time(const plan::CallCost& cost);
  double device_time(const plan::CallCost& cost, const plan::MachineFacts& facts);
  /// Records a call that took `seconds` on the host with its operands there.
  void note_host(const plan::CallCost& cost, double seconds);
  void note_device(const plan::CallCost& cost, double seconds, const plan::MachineFacts& facts);

 private:
  std::unordered_map<uint64_t, CallRecord> calls_;
  std::unordered_map<uint64_t, OperationRecord> operations_;
};

}  // namespace tessera::engine
