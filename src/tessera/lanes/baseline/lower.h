/// BaselineLowering: compiles a kernel and its schedule to a BaselineProgram and machine code.
#pragma once

#include <map>

#include "tessera/lanes/baseline/machine_code.h"
#include "tessera/lanes/baseline/program.h"
#include "tessera/lanes/schedule/schedule.h"

namespace tessera::lanes {

/// Whether the baseline supports every instruction.
bool has_baseline(const ir::Kernel& kernel);

class BaselineLowering {
 public:
  BaselineLowering(const ir::Kernel& kernel, BaselineProgram& out, MachineCode& code);
  /// Lowers the kernel; false when some limit is exceeded.
  bool run();

 private:
  using Call = BaselineProgram::Call;
  using Kind = PlaceForm::Kind;

  void add_accesses();
  void add_slots();
  /// Whether the kernel is a single lane loop, which may then stop before a vector in which an event may have happened.
  bool is_one_loop() const;
  void add_results();
  void lower_uniform(ir::Value v);
  void lower_call(ir::Value v);
  void lower_group(const LaneGroup& group);
  void lower_member(ir::Value v, LaneLoop& loop, std::vector<Call>& after);
  void add_load(ir::Value v, LaneLoop& loop);
  uint32_t add_copy(ir::Value v);
  bool choose_lanes();

  bool is_uniform(ir::Value v) const;
  bool is_dense(ir::Value access) const;
  uint32_t add_place(PlaceForm form);
  uint32_t add_slot(DType dtype);
  uint32_t uniform_of(ir::Value v);
  /// The place of an operand's lanes in memory.
  uint32_t place_of(ir::Value v);
  void note_operands(ir::Value user, LaneLoop& loop);
  void add_count(DType type, uint32_t place);
  DType type_of(ir::Value v) const { return kernel_.instructions[v].type; }

  const ir::Kernel& kernel_;
  BaselineProgram& out_;
  MachineCode& code_;
  Dependence dependence_;
  Schedule schedule_;
  bool stops_ = false;
  int64_t slot_bytes_ = 0;
  uint32_t counts_from_ = 0;                 // place
  std::map<ir::Value, uint32_t> access_of_;  // loads and stores
  std::map<ir::Value, uint32_t> copy_of_;    // slots of loads that are first copied, and of the lane index
  std::map<ir::Value, uint32_t> target_of_;  // stores
  std::map<ir::Value, uint32_t> uniforms_;
  std::map<uint32_t, uint32_t> uniform_places_;
  std::vector<uint32_t> slots_;  // place of each array of the schedule
};

}  // namespace tessera::lanes
