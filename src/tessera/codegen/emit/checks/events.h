/// Events: floating-point events, found in place or only noticed and found by a second run.
#pragma once

#include <functional>
#include <span>
#include <unordered_set>
#include <vector>

#include "tessera/codegen/emit/emitter_part.h"
#include "tessera/ir/implied_checks.h"
#include "tessera/lanes/schedule/schedule.h"

namespace tessera::codegen {

class Events : public EmitterPart {
 public:
  using EmitterPart::EmitterPart;

  struct Watch {
    // NaN once a watched float32 (float64) was infinite or NaN; on a device the upper word of the largest magnitude.
    llvm::Value* singles;
    llvm::Value* doubles;
    llvm::Value* others;  // not 0 once a check of another kind saw an event
    std::unordered_set<ir::Value> implied;
  };

  void emit_check(ir::Value v);
  void open_flags();
  void close_flags();
  bool raises_events(ir::RegionId region) const;
  void raise_inside(const std::function<void()>& inside);
  bool can_watch() const;
  bool may_replace_operand(uint32_t result) const;
  void emit_watched(const Schedule& schedule);
  void open_watch(std::span<const ir::Value> members);
  llvm::Value* close_watch();
  void close_device_watch(llvm::Value* lane);
  void watch(llvm::Value* result);
  llvm::Value* shares_memory();
  void clear_flags() {
    for (llvm::Value* events : flags_) clear_flag(events);
  }
  bool is_watching() const { return is_watching_; }
  void stop_watching() { is_watching_ = false; }
  Watch exchange_watch(Watch watch) { return std::exchange(watch_, std::move(watch)); }
  /// Whether another check finds what this one would.
  bool is_implied(ir::Value check) const { return watch_.implied.contains(check); }
  /// No check can find an event.
  void be_quiet(bool quiet) { is_quiet_ = quiet; }

 private:
  void clear_flag(llvm::Value* events);
  bool has_many_flags() const;
  void call_interpreter();
  void watch_exponent(llvm::Value* result);

  std::vector<llvm::Value*> flags_;
  Watch watch_;
  bool is_watching_ = false;
  bool is_quiet_ = false;  // no check can find an event
  llvm::Value* shares_memory_ = nullptr;
};

}  // namespace tessera::codegen
