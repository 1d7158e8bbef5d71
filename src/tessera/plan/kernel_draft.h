/// KernelDraft: the operands, axes and body of one group while it is converted to an ir::Kernel.
#pragma once

#include <utility>
#include <vector>

#include "tessera/ir/builder.h"
#include "tessera/plan/draft.h"

namespace tessera::plan {

class KernelDraft {
 public:
  KernelDraft(Draft& draft, const Group& group);

  /// Axes of the loop nest after merging, outermost first; reduced() lists those that the reduction runs over.
  const Dims& extents() const { return extents_; }
  const std::vector<int>& reduced() const { return reduced_; }
  /// Whether the reduction takes its elements in the same order as another draft: sums then have the same bits.
  bool reduces_as(const KernelDraft& other) const { return reduction_order_ == other.reduction_order_; }

  /// Whether it only reads, and all that it reads advances along this axis by more than along the others or not at all:
  /// rows of it are one piece of memory.
  bool reads_rows_of(int axis) const;

  /// Declares the operands as the first buffers of `builder`.
  void declare(ir::Builder& builder);
  /// Emits every node of the group at these indices (one for each axis) and stores the results that need memory.
  /// Returns the operand of the reduction, in its dtype, or no_value without a reduction.
  ir::Value emit(ir::Builder& builder, std::span<const ir::Value> indices);
  /// Strides of the reduction's result over the loop nest.
  const Dims& reduction_strides() const { return reduction_strides_; }

  std::vector<Binding> bindings() const;
  const std::vector<NodeRef>& scalars() const { return scalars_; }
  const std::vector<int32_t>& flag_nodes() const { return flag_nodes_; }

 private:
  struct Operand {
    int slot;
    NodeRef at;  // the operand whose offset applies
    int64_t offset;
    View view;  // over the group's shape, then over the merged axes; offset 0
    bool load;
    bool store;
    uint32_t buffer = 0;
  };

  int find_or_add(int slot, NodeRef at, const View& view, bool load, bool store);
  void collect();
  void merge_axes();
  ir::Value operand_value(ir::Builder& builder, int node, int input, std::span<const ir::Value> indices);
  ir::Value emit_map(ir::Builder& builder, int node, std::span<const ir::Value> indices);
  /// Casts `source` to the node's dtype and checks for floating-point events of the cast.
  ir::Value emit_cast(ir::Builder& builder, int node, ir::Value source);
  void emit_check(ir::Builder& builder, int node, ir::ErrorRule rule, ir::Value result,
                  std::span<const ir::Value> operands);

  Draft& draft_;
  const Group& group_;
  std::vector<Operand> operands_;
  std::vector<std::vector<int>> load_of_;  // [position in group][input] -> operand, -1: scalar or made in the group
  std::vector<int> store_of_;              // [position in group] -> operand, -1: not stored
  std::vector<ir::Value> values_;          // [position in group], in the node's dtype
  std::vector<int> position_;              // node -> position in group
  std::vector<ir::Value> loaded_;          // operand -> value
  std::vector<NodeRef> scalars_;
  std::vector<int32_t> flag_nodes_;
  Dims extents_;
  Dims reduction_strides_;
  std::vector<int> reduced_;
  std::vector<std::pair<int64_t, int64_t>>
      reduction_order_;  // extent and stride (over the reduced axes) of each reduced axis; {0, 0} for all that is
                         // between two of them
};

}  // namespace tessera::plan
