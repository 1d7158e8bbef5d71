/// Schedule: a kernel's body cut into lane loops, calls of long functions and the uniform control flow around them.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "tessera/ir/kernel.h"
#include "tessera/lanes/schedule/call_depth.h"
#include "tessera/lanes/schedule/dependence.h"

namespace tessera::lanes {

/// An array with one element a lane of the strip, for a value that outlives the lane loop computing it.
using SlotId = uint32_t;

/// What the end of a lane loop writes into a slot.
struct Assignment {
  enum class Kind : uint8_t { copy, start, reduce };
  Kind kind;
  SlotId slot;
  ir::Value source;                    // copy, fold: the value
  ir::Value reduction = ir::no_value;  // start, fold: the reduce whose accumulator the slot is
};

/// Instructions executed by one loop over the lanes.
struct LaneGroup {
  std::vector<ir::Value> members{};
  std::vector<Assignment> assignments{};
  std::set<ir::Value> inputs{};  // read from their slots when the loop body starts
  std::set<ir::Value> leaves{};  // loads that the loop body starts with
};

struct Step {
  enum class Kind : uint8_t {
    lanes,    // group
    call,     // a long function of all lanes, from slots or memory to a slot
    uniform,  // one instruction beside the lane loops
    control,  // if_, for_, while_ or reduce around lane loops; inside: one list a region
  };
  Kind kind;
  ir::Value value = ir::no_value;
  LaneGroup group{};
  std::vector<std::vector<Step>> inside{};
};

class Schedule {
 public:
  /// Of the body. When loops only notice events (see emit_watch.cpp) the operands of checks need not be there.
  Schedule(const ir::Kernel& kernel, const Dependence& dependence, bool watches, CallRule is_call = is_long_function);
  /// Of the elements a fold is over: the lanes are those of its region's argument. The region is straight.
  Schedule(const ir::Kernel& kernel, const Dependence& dependence, ir::Value reduction);

  std::vector<Step> steps;
  std::unordered_map<ir::Value, SlotId> slot_of;  // values that have a slot
  std::vector<uint32_t> array_of;                 // by slot; slots whose times do not meet share an array
  std::vector<DType> array_types;
  std::vector<ir::Value> leaves;      // loads without a slot
  std::optional<SlotId> result_slot;  // of a fold: where its elements are in the end
  bool has_barrier = false;
  bool is_straight = true;  // no control flow around lane loops
  size_t call_count = 0;
  bool is_leaf(ir::Value v) const { return leaf_loads_.contains(v); }

 private:
  void cut_region(ir::RegionId region, std::vector<Step>& out);
  void cut_run(std::span<const ir::Value> run, std::vector<Step>& out);
  void cut_control(ir::Value v, std::vector<Step>& out);
  void cut_inside(ir::Value v, Step& step);
  void assign(std::vector<Step>& steps, std::span<const ir::Value> targets, std::span<const ir::Value> sources);
  void share_slots(ir::Value control, std::span<const ir::Value> arguments);
  SlotId slot(ir::Value v);
  void find_homes(std::vector<Step>& steps);
  void find_transposed_loads(std::vector<Step>& steps);
  void note_use(ir::Value operand, LaneGroup* group);
  void note_operands(ir::Value user, LaneGroup* group);
  void share_arrays();
  std::vector<SlotId> written_slots(const Step& step) const;
  std::vector<size_t> last_times() const;
  bool varies(ir::Value v) const { return element_values_ ? element_values_->contains(v) : dependence_.varies(v); }

  const ir::Kernel& kernel_;
  const Dependence& dependence_;
  CallRule is_call_ = is_long_function;
  std::optional<std::unordered_set<ir::Value>> element_values_;  // of a fold: what depends on its argument
  std::unordered_set<ir::Value> implied_checks_;
  bool watches_ = false;
  std::vector<DType> slot_types_;
  std::unordered_set<ir::Value> leaf_loads_;
  std::unordered_map<ir::Value, LaneGroup*> home_;
  std::unordered_map<ir::Value, std::vector<SlotId>> result_slots_;
};

/// Whether a fold's region is straight and has a long function that depends on its argument, so that a Schedule of its
/// elements is worth making.
bool has_element_calls(const ir::Kernel& kernel, ir::Value reduction);

}  // namespace tessera::lanes
