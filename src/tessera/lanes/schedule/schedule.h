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

/// An array with one element per lane of the strip, for a value that outlives the lane loop computing it.
using SlotId = uint32_t;

/// A write to a slot at the end of a lane loop.
struct Assignment {
  enum class Kind : uint8_t { copy, start, reduce };
  Kind kind;
  SlotId slot;
  ir::Value source;                    // copy, reduce: the value
  ir::Value reduction = ir::no_value;  // start, reduce: the reduction whose accumulator the slot is
};

/// The instructions executed by one loop over the lanes.
struct LaneGroup {
  std::vector<ir::Value> members{};
  std::vector<Assignment> assignments{};
  std::vector<ir::Value> recomputed{};  // computed again at the beginning of the loop body, operands first
  std::set<ir::Value> inputs{};         // read from their slots at the beginning of the loop body
  std::set<ir::Value> leaves{};         // loads at the beginning of the loop body
};

struct Step {
  enum class Kind : uint8_t {
    lanes,    // group
    call,     // a long function for all lanes, from slots or memory to a slot
    vote,     // a ballot or a count over all lanes, from a slot; a barrier of the grid
    uniform,  // one instruction outside the lane loops
    control,  // if_, for_, while_ or reduce around lane loops; inside: one list per region
  };
  Kind kind;
  ir::Value value = ir::no_value;
  LaneGroup group{};
  std::vector<std::vector<Step>> inside{};
};

class Schedule {
 public:
  /// Schedules the body. When loops only detect events (see codegen/emit/checks/watch.cpp), the operands of checks need
  /// not be available.
  Schedule(const ir::Kernel& kernel, const Dependence& dependence, bool watches, CallRule is_call = is_long_function);
  /// Schedules the elements of a reduction: the lanes are the values of its region's argument. The region must be
  /// straight-line code.
  Schedule(const ir::Kernel& kernel, const Dependence& dependence, ir::Value reduction);

  std::vector<Step> steps;
  std::unordered_map<ir::Value, SlotId> slot_of;  // values that have a slot
  std::vector<uint32_t> array_of;                 // by slot; slots with disjoint lifetimes share an array
  std::vector<DType> array_types;
  std::vector<ir::Value> leaves;                // loads without a slot
  std::optional<SlotId> result_slot;            // of a reduction: the slot of its elements
  std::unordered_map<ir::Value, SlotId> asked;  // by vote or shuffle: the slot of all lanes' values
  bool has_barrier = false;
  bool is_straight = true;  // no control flow around lane loops
  size_t call_count = 0;
  bool is_leaf(ir::Value v) const { return leaf_loads_.contains(v); }

 private:
  void cut_region(ir::RegionId region, std::vector<Step>& out);
  void cut_run(std::span<const ir::Value> run, std::vector<Step>& out);
  void cut_meeting(ir::Value v, std::vector<Step>& out);
  void cut_control(ir::Value v, std::vector<Step>& out);
  void cut_inside(ir::Value v, Step& step);
  void assign(std::vector<Step>& steps, std::span<const ir::Value> targets, std::span<const ir::Value> sources);
  void share_slots(ir::Value control, std::span<const ir::Value> arguments);
  SlotId slot(ir::Value v);
  void find_homes(std::vector<Step>& steps);
  void find_transposed_loads(std::vector<Step>& steps);
  void note_use(ir::Value operand, LaneGroup* group);
  bool is_cheap(ir::Value v, int depth) const;
  void recompute(ir::Value v, LaneGroup& group);
  void note_operands(ir::Value user, LaneGroup* group);
  void share_arrays();
  std::vector<SlotId> written_slots(const Step& step) const;
  std::vector<size_t> last_times() const;
  bool varies(ir::Value v) const { return element_values_ ? element_values_->contains(v) : dependence_.varies(v); }

  const ir::Kernel& kernel_;
  const Dependence& dependence_;
  CallRule is_call_ = is_long_function;
  std::optional<std::unordered_set<ir::Value>> element_values_;  // of a reduction: what depends on its argument
  std::unordered_set<ir::Value> implied_checks_;
  bool watches_ = false;
  std::vector<DType> slot_types_;
  std::unordered_set<ir::Value> leaf_loads_;
  std::unordered_map<ir::Value, LaneGroup*> home_;
  std::unordered_map<ir::Value, std::vector<SlotId>> result_slots_;
};

/// Whether a reduction's region is straight-line code with a long function that depends on its argument, so that its
/// elements should be computed by a Schedule.
bool has_element_calls(const ir::Kernel& kernel, ir::Value reduction);

}  // namespace tessera::lanes
