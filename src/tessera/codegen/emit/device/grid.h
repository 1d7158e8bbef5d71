/// Grid: a kernel for a device. Rows and lanes are traversed with the grid as stride, or are the launch's own.
#pragma once

#include <span>

#include "tessera/codegen/emit/emitter_part.h"
#include "tessera/ir/run_access.h"

namespace tessera::codegen {

class Grid : public EmitterPart {
 public:
  using EmitterPart::EmitterPart;

  /// A kernel over a grid.
  llvm::Function* emit_kernel(const char* name, const DeviceMapping& mapping);
  /// A function of numbers that other code on a device calls.
  void emit_function(const DeviceFunction& wanted);
  /// The kernel as a function of its parameters' address, for the threads of the block that runs last.
  llvm::Function* emit_epilogue();

  /// Each thread computes lanes of its own.
  void emit_single_lanes(llvm::Value* begin, llvm::Value* size);
  /// One lane: first what it computes, then what it stores.
  void emit_values();
  void emit_stores();
  bool is_replayable(std::span<const ir::Value> body) const;
  bool is_run_access(ir::Value v) const { return ir::is_run_access(kernel_, v); }

 private:
  llvm::Function* make_function(const char* name);
  void emit_body();
  void emit_exact_grid();
  void emit_row(llvm::Value* begin, llvm::Value* size);
  void emit_lanes_by_mapping(llvm::Value* begin, llvm::Value* size);
  void emit_lanes_apart(llvm::Value* begin, llvm::Value* size);
  void emit_team_lanes(llvm::Value* begin, llvm::Value* size);
  void emit_sliced_lanes(llvm::Value* begin, llvm::Value* size);
  void emit_lane(llvm::Value* index);
  void emit_watched_lane(llvm::Value* index);
  bool goes_first(ir::Value v) const;

  void emit_last_block(const EpilogueKernels& epilogue);
};

}  // namespace tessera::codegen
