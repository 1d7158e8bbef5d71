/// Control: loops in the form that LLVM's passes expect, and the kernel's branches and loops.
#pragma once

#include <functional>
#include <vector>

#include "tessera/codegen/emit/control/loop.h"
#include "tessera/codegen/emit/emitter_part.h"
#include "tessera/lanes/schedule/iterations_apart.h"

namespace tessera::codegen {

class Control : public EmitterPart {
 public:
  using EmitterPart::EmitterPart;

  struct Iterations {
    ir::Value loop;
    bool are_apart = false;  // no memory connects them
    bool stay_rolled = false;
  };
  struct Bounds {
    llvm::Value* lower;
    llvm::Value* upper;
    llvm::Value* step;
    bool surely_runs = false;
  };

  Loop open_loop(llvm::Value* begin, llvm::Value* end, llvm::Value* step, bool surely_runs, const char* name);
  void close_loop(Loop& loop, bool parallel);
  void keep_rolled(const Loop& loop);
  /// A loop that is not unrolled and carries values, which the body maps to the next ones.
  Carried emit_carrying(llvm::Value* begin, llvm::Value* end, llvm::Value* step, const Carried& first,
                        const std::function<Carried(llvm::Value* index, const Carried& carried)>& body);
  void emit_control(ir::Value v, const Inside& inside);
  Parts make_phi(Parts initial, llvm::BasicBlock* from);
  void add_incoming(Parts phi, Parts value, llvm::BasicBlock* from);

 private:
  /// Whether the loop continues: the comparison of index and end follows the sign of step.
  llvm::Value* loop_continues(llvm::Value* index, llvm::Value* end, llvm::Value* step);
  void mark_parallel(llvm::Instruction* branch);
  void emit_if(ir::Value v, const Inside& inside);
  void emit_for(ir::Value v, const Inside& inside);
  std::vector<Parts> emit_iterations(const Iterations& of, const Bounds& bounds, const std::vector<Parts>& initial,
                                     const Inside& inside);
  std::vector<Parts> emit_halves(const Iterations& of, const SharedElements& shared, const Bounds& bounds,
                                 const std::vector<Parts>& initial, const Inside& inside);
  void emit_unrolled(ir::Value v, int64_t iterations, const Inside& inside);
  void emit_while(ir::Value v, const Inside& inside);
  void emit_row_reduce(ir::Value v, const Inside& inside);
  bool is_in_ssa(ir::Value v) const;
  bool is_result_in_ssa(ir::Value control, size_t r) const;
  bool strides_over_threads(ir::Value v) const;
  /// Runs the loop while four more iterations are left; the rest begins at the result.
  llvm::Value* emit_strided(ir::Value v, llvm::Value* lower, llvm::Value* upper, llvm::Value* step,
                            std::vector<Parts>& carried, const Inside& inside);
  bool scatters_bytes(ir::Value v) const;
  /// The same on the host, as long as indices are not negative.
  llvm::Value* emit_scattering(const Iterations& of, const Bounds& bounds, std::vector<Parts>& carried,
                               const Inside& inside);
  /// Some iterations of a `for`, without a loop; returns the next one's index.
  llvm::Value* emit_in_a_row(ir::Value v, int64_t iterations, llvm::Value* index, llvm::Value* step,
                             std::vector<Parts>& carried, const Inside& inside);
};

}  // namespace tessera::codegen
