/// Schedule: a kernel's body cut into lane loops and the uniform control flow around them.
#pragma once

#include <cstdint>
#include <set>
#include <unordered_map>
#include <vector>

#include "tessera/codegen/emit/dependence.h"
#include "tessera/ir/kernel.h"

namespace tessera::codegen {

/// Functions of the math library that are dozens of instructions.
bool is_long_function(ir::Opcode op);

/// An array with one element a lane of the strip, for a value that outlives the lane loop computing it.
using SlotId = uint32_t;

/// What the end of a lane loop writes into a slot.
struct Assignment {
  enum class Kind : uint8_t { copy, start, fold };
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
};

struct Step {
  enum class Kind : uint8_t {
    lanes,    // group
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
  Schedule(const ir::Kernel& kernel, const Dependence& dependence);

  std::vector<Step> steps;
  std::unordered_map<ir::Value, SlotId> slot_of;  // values that have a slot
  std::vector<DType> slot_types;
  bool has_barrier = false;
  bool has_cut_functions = false;  // a loop was cut in front of a long function

 private:
  void cut_region(ir::RegionId region, std::vector<Step>& out);
  void cut_control(ir::Value v, std::vector<Step>& out);
  void cut_inside(ir::Value v, Step& step);
  void assign(std::vector<Step>& steps, std::span<const ir::Value> targets, std::span<const ir::Value> sources);
  void share_slots(ir::Value control, std::span<const ir::Value> arguments);
  SlotId slot(ir::Value v);
  void find_homes(std::vector<Step>& steps);
  void find_crossings(std::vector<Step>& steps);
  void note_use(ir::Value operand, LaneGroup& group);
  void note_operands(ir::Value user, LaneGroup& group);

  const ir::Kernel& kernel_;
  const Dependence& dependence_;
  std::unordered_map<ir::Value, LaneGroup*> home_;
  std::unordered_map<ir::Value, std::vector<SlotId>> result_slots_;
};

}  // namespace tessera::codegen
