/// Lanes: a kernel for the host. Loops over the box, rows cut into strips, loops over lanes and the slots that pass
/// values between them.
#pragma once

#include <utility>
#include <vector>

#include "tessera/codegen/emit/control/loop.h"
#include "tessera/codegen/emit/emitter_part.h"
#include "tessera/lanes/schedule/schedule.h"

namespace tessera::codegen {

class Lanes : public EmitterPart {
 public:
  using EmitterPart::EmitterPart;

  /// void name(KernelArguments*, int64* begin, int64* end): the box loops with the body inside.
  llvm::Function* emit_kernel(const char* name);

  /// The only lanes of the innermost axis for which a group has an effect: those that pass a test against a value that
  /// is the same for all. Null: no bound.
  struct LaneBounds {
    ir::Value test = ir::no_value;
    llvm::Value *begin = nullptr, *end = nullptr;
  };

  void emit_steps(const Schedule& schedule, const std::vector<Step>& steps);
  std::vector<Parts> make_slots(const Schedule& schedule, llvm::Value* lanes);
  /// This lane's index in its strip.
  llvm::Value* lane();
  const Parts& slot(SlotId slot) const { return slots_[slot]; }
  std::vector<Parts> exchange_slots(std::vector<Parts> slots) { return std::exchange(slots_, std::move(slots)); }
  /// In lane loops over a reduction's elements: the region argument that the lanes stand for.
  ir::Value element_index() const { return element_index_; }
  ir::Value exchange_element(ir::Value index) { return std::exchange(element_index_, index); }
  /// The code being written is outside lane loops and computes a single value.
  bool walks_beside_lanes() const { return walks_beside_lanes_; }
  /// Of the lanes being written.
  const Schedule* schedule() const { return schedule_; }

 private:
  void emit_row(const Schedule& schedule);
  void emit_prefetch(ir::Value load);
  void emit_lane_loop(const Schedule& schedule, const LaneGroup& group);
  llvm::Value* lanes_of_block();
  LaneBounds find_bounds(const LaneGroup& group);
  std::vector<Loop> open_lanes(const LaneBounds& bounds);
  void emit_assignments(const Schedule& schedule, const LaneGroup& group);
  int64_t strip_lanes(const Schedule& schedule) const;
  int64_t bytes_a_lane(const Schedule& schedule) const;
  bool fits_stack(const Schedule& schedule) const;
  Parts load_slot(SlotId slot, DType dtype);
  void store_slot(SlotId slot, DType dtype, Parts value);

  ir::Value element_index_ = ir::no_value;
  bool walks_beside_lanes_ = false;
  std::vector<Parts> slots_;
  const Schedule* schedule_ = nullptr;
};

}  // namespace tessera::codegen
