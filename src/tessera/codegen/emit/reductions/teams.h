/// Teams: reductions of a lane whose trees the threads of a team share.
#pragma once

#include <functional>
#include <vector>

#include "tessera/codegen/emit/control/loop.h"
#include "tessera/codegen/emit/emitter_part.h"
#include "tessera/codegen/emit/reductions/tree.h"

namespace tessera::codegen {

class Teams : public EmitterPart {
 public:
  using EmitterPart::EmitterPart;

  struct Team;
  struct Place;
  struct SetSum;
  struct DoubleBuffer;

  llvm::Value* emit_team_chunk(const Tree& tree, llvm::Value* begin, llvm::Value* count);
  void emit_by_leader(const std::function<void()>& emit);
  llvm::Value* in_any_thread(llvm::Value* condition);
  void emit_double_buffered_lanes(llvm::Value* begin, llvm::Value* size);

 private:
  Team make_team(const Tree& tree, llvm::Value* begin);
  llvm::Value* emit_slot(const Team& team, llvm::Value* set);
  llvm::Value* join_levels(const Tree& tree, llvm::Value* sum, llvm::Value* splits, int64_t first, int levels,
                           llvm::Value* threads);
  void keep_set(const Team& team, llvm::Value* set, const SetSum& of);
  SetSum load_sets(const Team& team);
  llvm::Value* join_sets(const Team& team);
  void store_sum(const Tree& tree, llvm::Value* address, llvm::Value* sum);
  llvm::Value* load_sum(const Tree& tree, llvm::Value* address);
  Carried emit_levels(int count, const Carried& first,
                      const std::function<Carried(llvm::Value* level, const Carried& carried)>& body);
  llvm::Value* emit_team_depth(const Team& team, llvm::Value* count);
  Place emit_team_place(const Team& team, llvm::Value* slot, llvm::Value* count, llvm::Value* depth);
  SetSum emit_set(const Team& team, llvm::Value* set, llvm::Value* size, llvm::Value* depth);
  llvm::Value* emit_whole_set(const Team& team, llvm::Value* set);
  llvm::Value* emit_team_leaf(const Team& team, llvm::Value* at, llvm::Value* size);
  llvm::Value* emit_short_leaf(const Team& team, llvm::Value* at, llvm::Value* size);
  llvm::Value* emit_team_run(const Team& team, llvm::Value* at, llvm::Value* count, llvm::Value* total, int64_t step,
                             int at_once);
  int elements_at_once(const Tree& tree) const;
  llvm::Value* reduce_extremes(const Tree& tree, std::vector<llvm::Value*> elements);
  llvm::Value* reduce_elements(const Tree& tree, llvm::Value* total, std::vector<llvm::Value*> elements);
  static bool order_matters(const Tree& tree);
  llvm::Value* team_element(const Team& team, llvm::Value* at);
  llvm::Value* shuffle(ir::ShuffleKind kind, llvm::Value* value, llvm::Value* offset, llvm::Value* mask);
  void wait_for_launch_before();
  llvm::Value* join_by_first_warp(const Team& team, llvm::Value* side, llvm::Value* sum);
  llvm::Value* reduce_loaded(const Team& team, const DoubleBuffer& double_buffered);
  DoubleBuffer fetch_lane(const DoubleBuffer& before, ir::Value reduction, llvm::Value* lane);
};

}  // namespace tessera::codegen
