/// Reductions: in index order, by the fixed tree, in slices, and of complex numbers, both parts of an element together.
#pragma once

#include <map>
#include <vector>

#include "tessera/codegen/emit/emitter_part.h"
#include "tessera/codegen/emit/reductions/tree.h"
#include "tessera/lanes/schedule/complex_reductions.h"

namespace tessera::codegen {

class Reductions : public EmitterPart {
 public:
  using EmitterPart::EmitterPart;

  int region_cost(ir::RegionId region) const;
  void emit_reduce(ir::Value v);
  llvm::Value* combine(ir::ReduceKind kind, DType type, llvm::Value* a, llvm::Value* b);
  llvm::Value* neutral(ir::ReduceKind kind, DType type);
  llvm::Value* reduction_start(ir::Value v);
  llvm::Value* neutral(const Tree& tree);
  void set_reduction(ir::Value v, llvm::Value* sum);
  llvm::Value* emit_reduction_element(ir::Value v, ir::Value other, llvm::Value* index);
  llvm::Value* join_parts(Parts parts);
  Parts split_parts(llvm::Value* both);
  llvm::Value* emit_is_whole();
  bool may_read_whole() const;
  bool reads_complex_runs(ir::Value v) const;
  llvm::Value* emit_complex_runs(ir::Value v, llvm::Value* lower, llvm::Value* upper, std::vector<Parts>& carried);
  Tree make_tree(ir::Value v);
  llvm::Value* emit_tree(ir::Value v);
  /// Finds the complex sums of the kernel.
  void find_complex() { complex_reductions_ = find_complex_reductions(kernel_); }
  /// Whether each thread of the team computes a different element from here on; returns what was so before.
  bool enter_team_reduction(bool enters) { return std::exchange(in_team_reduction_, enters); }

 private:
  llvm::Value* emit_sliced_reduction(ir::Value v);
  llvm::Value* emit_extreme(ir::Value v);
  llvm::Value* emit_reduction_range(ir::Value v, llvm::Value* lower, llvm::Value* upper);
  int reductions_at_once(ir::Value v) const;
  std::pair<llvm::Value*, llvm::Value*> emit_reductions_together(ir::Value v, llvm::Value* lower, llvm::Value* upper,
                                                                 llvm::Value* start, int at_once);
  llvm::Value* start_of(const Tree& tree);
  ir::Value imaginary_reduction(ir::Value v) const;
  bool is_imaginary_reduction(ir::Value v) const;
  bool is_within_chunk(ir::Value v) const;
  void emit_joins(const Tree& tree, llvm::Value* chunks, llvm::Value* total, llvm::Value* height, llvm::Value* count);
  llvm::Value* emit_chunk(const Tree& tree, llvm::Value* begin, llvm::Value* count);
  llvm::Value* emit_elements(const Tree& tree, llvm::Value* begin, llvm::Value* count);
  llvm::Value* emit_element_calls(const Tree& tree, llvm::Value* begin, llvm::Value* count);
  llvm::Value* emit_leaf(const Tree& tree, llvm::Value* begin, llvm::Value* count);
  llvm::Value* emit_vector_sum(const Tree& tree, llvm::Value* address, llvm::Value* count, int64_t leaves);
  llvm::Value* join_neighbours(const Tree& tree, std::vector<llvm::Value*> vectors);
  bool is_plain_load(ir::Value v) const;

  // On a device: reductions of real parts, mapped to those of the imaginary parts that are computed with them.
  std::map<ir::Value, ir::Value> complex_reductions_;
  bool in_team_reduction_ = false;  // each thread of the team computes a different element
  bool shares_reductions() const { return mapping_.team > 1 && !in_team_reduction_; }
};

}  // namespace tessera::codegen
