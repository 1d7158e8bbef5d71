/// CallHistory: what is known of calls of routines and libraries from those before them: how long the host took, what
/// came home.
#pragma once

#include <string>
#include <unordered_map>

#include "tessera/engine/device/cost_model.h"

namespace tessera::engine {

/// Of calls of one operation that are alike in size.
struct CallRecord {
  double host_ratio = 0;    // time the host took over what host_seconds() says
  int host_runs = 0;        // of which that is known, see runs_known()
  double device_ratio = 0;  // the same of a device, until the call is queued or its answer there
  int device_runs = 0;      // of which that is known
  uint32_t maker = 0;       // by which results are known that come home
  int64_t runs_on_device = 0;
};

/// Of all calls of one operation.
struct OperationRecord {
  double host_ratio = 0;  // of all sizes
  int host_runs = 0;
  bool has_run_on_device = false;
  bool is_missing = false;  // its library is not there
  Regret regret;            // until its first run on a device
};

/// What repeats takes about as long as its quickest runs, which are forgotten slowly: the machine may have been busy,
/// or be busy now.
void learn(double& known, double seen);

class CallHistory {
 public:
  /// References stay valid.
  CallRecord& calls_like(const CallCost& cost);
  OperationRecord& operation(std::string_view op);

  double host_time(const CallCost& cost);
  double device_time(const CallCost& cost, const MachineFacts& facts);
  /// A call that took so long on the host, its operands there.
  void note_host(const CallCost& cost, double seconds);
  void note_device(const CallCost& cost, double seconds, const MachineFacts& facts);

 private:
  std::unordered_map<uint64_t, CallRecord> calls_;
  std::unordered_map<uint64_t, OperationRecord> operations_;
};

}  // namespace tessera::engine
