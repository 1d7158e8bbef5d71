/// Recording of single nodes, of checked operands.
#pragma once

#include <cstdint>
#include <span>

#include "tessera/engine/recording.h"
#include "tessera/engine/support/context.h"
#include "tessera/graph/array.h"

namespace tessera::engine {

struct State;

/// Records one elementwise node and returns its fresh result with `layout` (over `shape`). The form is cached under
/// `key`; 0 stands for the form's own hash.
Array record_map(State& state, const ops::Op& op, const ops::Signature& signature, int result,
                 std::span<const Operand> operands, const View& layout, const Context& context, uint64_t key = 0);
Array record_reduction(State& state, const ops::Op& op, ir::ReduceKind kind, const Array& source,
                       std::span<const int> axes, DType dtype, const Context& context);
/// Records a write of the array, which has the destination's shape, or the scalar when it is null. `apart`: source and
/// destination are in one version and share no byte of it.
void record_write(State& state, const Array& destination, const Array* source, const Scalar& scalar,
                  const Context& context, bool apart = false);
/// A write whose target elements overlap in memory: stores them sequentially, so that the last one prevails as in
/// NumPy.
void write_in_order(State& state, const Array& destination, const Array& source, const Context& context);
/// Implements Recording::assign for a source that has the destination's shape.
void assign_array(State& state, const Array& destination, const Array& source, const Context& context);
/// For an operand of a node to be recorded, which is not pending in another window. True when its memory is shared with
/// other code, so that it must be read at once.
inline bool is_pinned_operand(const Array& array) {
  if (array.storage->pins == 0) [[likely]]
    return false;
  array.storage->current->foreign = true;
  return true;
}

}  // namespace tessera::engine
