/// Lowering: converts a kernel to the steps of a Program.
#pragma once

#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "tessera/ir/interpreter/liveness.h"
#include "tessera/ir/interpreter/program.h"
#include "tessera/ir/interpreter/shapes.h"

namespace tessera::ir {

class Lowering {
 public:
  Lowering(const Kernel& kernel, Program::Impl& out);
  /// `is_function`: the kernel is that of a function, whose lanes' mask is the caller's.
  void run(bool is_function = false);

 private:
  /// The cells of values in one frame, and the lane slots that are free for reuse.
  struct Scope {
    FrameId frame = 0;
    const Shapes* shapes = nullptr;
    Scope* parent = nullptr;
    std::vector<Import>* imports = nullptr;
    std::vector<CellId> cells;                // uniform cell, affine base or lanes
    std::vector<CellId> lanes;                // of affine values that some use needs as one number per lane
    std::vector<CellId> owned;                // lanes cell to free after the value's last use
    std::vector<char> owns_lanes;             // whether to free the cell in `lanes` as well
    std::map<int, std::vector<CellId>> free;  // by element size
    std::unordered_map<Value, std::vector<CellId>> results;
    int masked = 0;  // depth of divergent control
  };

  // Cells.
  CellId add_cell(Cell cell);
  CellId uniform_cell(int size);
  CellId lanes_cell(Scope& scope, int size);
  CellId fresh_lanes_cell(Scope& scope, int size);
  void release(Scope& scope, CellId cell);
  void release_ending(Scope& scope, RegionId region, uint32_t position, Value except);
  CellId cell_for(Scope& scope, Shape shape, DType type);
  CellId define(Scope& scope, Value v);
  CellId find(Scope& scope, Value v);        // uniform cell, affine base or lanes
  CellId find_lanes(Scope& scope, Value v);  // numbers: uniform cell or lanes
  IndexRef index_ref(Scope& scope, Value v);
  Shape shape(const Scope& scope, Value v) const { return (*scope.shapes)[v]; }
  void materialise(Scope& scope, Value v);

  // Steps.
  void emit(Step step) { out_.sequences[current_].push_back(step); }
  uint32_t add_operands(std::initializer_list<CellId> cells);
  Scope make_scope(const Shapes& shapes) const;
  std::vector<Value> lower_region(Scope& scope, RegionId region);
  uint32_t lower_sequence(Scope& scope, RegionId region, std::vector<Value>& yields);
  void lower(Scope& scope, RegionId region, uint32_t position);
  void lower_leaf(Scope& scope, Value v);
  void lower_pure(Scope& scope, RegionId region, uint32_t position);
  void lower_part(Scope& scope, Value v);
  Access make_access(Scope& scope, Value v, size_t values);
  void lower_load(Scope& scope, RegionId region, uint32_t position);
  void lower_store(Scope& scope, Value v);
  void lower_atomic(Scope& scope, Value v);
  void lower_vote(Scope& scope, Value v, StepKind kind);
  void lower_check(Scope& scope, Value v);
  void lower_function(Scope& scope);
  void lower_call(Scope& scope, Value v);
  void lower_if(Scope& scope, Value v);
  void lower_for(Scope& scope, Value v);
  void lower_while(Scope& scope, Value v);
  void lower_reduce(Scope& scope, Value v);
  void lower_reduce_rows(Scope& scope, Value v, ReduceInfo& info);
  void lower_reduce_lanes(Scope& scope, Value v, ReduceInfo& info);

  // Copies between cells at the boundaries of regions.
  Copy copy_of(Scope& scope, Value from, CellId to, Shape to_shape);
  std::vector<Copy> copies_to(Scope& scope, const std::vector<Value>& from, const std::vector<CellId>& to,
                              const std::vector<Shape>& shapes);
  CellId bind_argument(Scope& scope, Value arg, std::vector<CellId>& owned);
  std::vector<CellId> define_results(Scope& scope, Value v);

  bool is_elementwise() const;
  void find_aimed();
  void lay_out();

  const Kernel& kernel_;
  Program::Impl& out_;
  Liveness liveness_;
  uint32_t current_ = 1;
  std::vector<char> once_;  // values computed once per run, in sequence 0
  std::vector<CellId> once_cells_;
  std::unordered_map<Value, Value> aimed_;  // from a value to the store whose memory its loop writes to
  std::vector<std::unique_ptr<Shapes>> shapes_;
};

}  // namespace tessera::ir
