/// Trace: what ran while it was asked for: plans, calls and launches, when and where, what they read and wrote.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "tessera/plan/plan_options.h"
#include "tessera/plan/request.h"
#include "tessera/plan/working_sets.h"
#include "tessera/profile/account.h"

namespace tessera {
struct Array;
namespace runtime {
class Device;
}
}  // namespace tessera

namespace tessera::engine {

/// Plans with equal text and call sites are one.
struct TracedText {
  std::string text;             // the window, its groups, why nodes are apart, and the plan without kernels' bodies
  std::vector<uint64_t> sites;  // of its nodes
};

struct TracedRun {
  enum class Kind : uint8_t { plan, call, launch };
  Kind kind = Kind::plan;
  int32_t text = -1;  // plans: which of the texts
  std::string name;   // calls and launches
  uint64_t site = 0;
  double begin = 0, end = 0;                      // seconds since the trace began
  std::string where;                              // "cpu", "gpu:0", "simulated"; empty where it failed
  double host_estimate = 0, device_estimate = 0;  // seconds that were expected; 0: none
  double host_model = 0, device_model = 0;        // the same by the model alone, without what was measured
  std::string weighed;                            // what moved the choice between them; empty where there was none
  uint32_t set = 0;                               // the working set in which it was placed; 0: none
  profile::Rows rows{};                           // of its thread, while it ran
  int64_t bytes_to_device = 0, bytes_from_device = 0;
  std::vector<int64_t> reads, writes;  // numbers of versions; of plans in the order of the text
};

/// What happened to an array between runs.
struct TracedTouch {
  enum class Kind : uint8_t { made, read };
  Kind kind = Kind::made;  // made: of elements from outside; read: by the program
  int64_t version = 0;
  uint64_t site = 0;
  size_t runs = 0;  // how many were before
};

class Trace {
 public:
  /// The trace under way, or null. Work is waited for while there is one, so that times are its own.
  static Trace* active() { return active_; }
  static void start();
  /// Ends it; nothing if there is none.
  static Trace stop();

  std::vector<TracedText> texts;
  std::vector<TracedRun> runs;
  std::vector<TracedTouch> touches;
  std::vector<int64_t> nbytes;             // of versions, by number; 0: it was never stored
  plan::MachineFacts facts;                // by which was chosen last
  profile::Rows rows{};                    // of the thread that began and ended it, in all
  double seconds = 0;                      // how long it took
  std::optional<plan::Placement> weighed;  // the last choice, until a run takes it
  int running = 0;                         // runs under way

  double now() const;
  /// The number of a version; one that is made anew gets another.
  int64_t number(const graph::Version* version, bool is_new = false);
  /// An array was made, or read by the program; nothing within a run.
  void touch(TracedTouch::Kind kind, const graph::Version& version, uint64_t site = 0);
  int32_t text_of(const plan::Request& request, const plan::PlanOptions& options);

 private:
  static inline Trace* active_ = nullptr;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::unordered_map<const graph::Version*, int64_t> numbers_;
  std::unique_ptr<profile::Account::Use> account_ = std::make_unique<profile::Account::Use>();
  profile::Rows before_ = profile::Account::own().rows();
  std::unordered_map<uint64_t, int32_t> known_;
};

/// Records one run from its construction to finish(); without a trace it does nothing.
class TraceRun {
 public:
  TraceRun(const plan::Request& request, const plan::PlanOptions& options);
  TraceRun(TracedRun::Kind kind, std::string_view name, uint64_t site);
  ~TraceRun();
  TraceRun(const TraceRun&) = delete;
  TraceRun& operator=(const TraceRun&) = delete;

  bool is_active() const { return trace_ != nullptr; }
  void reads(const graph::Version* version);
  void writes(const graph::Version* version);
  void estimate(double host_seconds, double device_seconds);
  /// Waits for the device, if it ran on one.
  void finish(runtime::Device* device);

 private:
  Trace* trace_;
  TracedRun run_;
  profile::Rows before_{};
  std::vector<const graph::Version*> written_;
  int64_t to_device_ = 0, from_device_ = 0;
};

}  // namespace tessera::engine
