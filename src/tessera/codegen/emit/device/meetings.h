/// Meetings: barriers, votes and shuffles; on the host between loops over lanes.
#pragma once

#include "tessera/codegen/emit/emitter_part.h"
#include "tessera/lanes/schedule/schedule.h"

namespace tessera::codegen {

class Meetings : public EmitterPart {
 public:
  using EmitterPart::EmitterPart;

  void emit_barrier();
  void emit_vote(const Schedule& schedule, ir::Value v);
  void emit_meeting(ir::Value v);
  void emit_fence(ir::Value v);
  void emit_pause(ir::Value v);

 private:
  void emit_warp_barrier(ir::Value v);
  llvm::Value* emit_count(SlotId asked);
  void emit_warp_ballots(SlotId asked, SlotId result);
  void emit_shuffle(ir::Value v);
  llvm::Value* emit_device_shuffle(ir::Value v);
  llvm::Value* emit_device_match_any(ir::Value v);
  llvm::Value* warp_mask(ir::Value v, size_t at);
  void emit_wait(ir::Wait what);
  void emit_ballot(ir::Value v);
};

}  // namespace tessera::codegen
