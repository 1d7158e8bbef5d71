/// Form: what stays the same when a loop asks for the same thing again: all of a request but memory, offsets and
/// scalars.
#pragma once

#include <cstdint>

#include "tessera/base/ref.h"
#include "tessera/layout/view.h"
#include "tessera/ops/op.h"

namespace tessera::graph {

enum class NodeKind : uint8_t {
  map,     // out (a fresh version) = op(inputs), elementwise over `shape`
  write,   // out (the next version of a storage) = `old` with the elements of `target` replaced by inputs[0], cast
  reduce,  // out (a fresh version) = inputs[0] over `shape`, the axes in `axes` folded by `reduce`
};

inline constexpr int max_inputs = 4;

/// An operand over the form's shape: strided elements, or one scalar.
struct InputForm {
  bool scalar = false;
  DType dtype = DType::float64;
  Dims strides;

  friend bool operator==(const InputForm&, const InputForm&) = default;
};

/// Immutable once a node has it; nodes that ask for the same share one.
struct Form : RefCounted<Form, uint32_t> {
  NodeKind kind = NodeKind::map;
  uint8_t input_count = 0;
  uint8_t result = 0;  // which result of the op, for ops with several
  uint8_t events = 0;  // ir::FloatEvent bits somebody wants reported
  ops::OpId op = 0;
  bool pinned = false;  // write: others see this memory, so it must happen in place
  ir::ReduceKind reduce = ir::ReduceKind::add;
  bool natural = false;          // map: the result's axes run as the operands' do; not part of the hash
  DType dtype = DType::float64;  // of the stored elements
  uint64_t axes = 0;             // reduce: one bit for each folded axis of `shape`
  const ops::Signature* signature = nullptr;
  Dims shape;    // the iteration space
  Dims strides;  // map, write: over shape; reduce: over shape with 0 on folded axes
  InputForm inputs[max_inputs];
  int64_t nbytes = 0;  // of the result, or of what is written; follows from the above
  /// Of a write whose operand has the target's strides: at this distance of one from the other, in one version, they
  /// share no byte. Noticed when that was found out; 0: never.
  mutable int64_t apart = 0;
  uint64_t hash = 0;  // of all of the above

  static Form* make();
  static void destroy(Form* form);
  /// To be called once all of it is filled in; returns the hash.
  uint64_t set_hash();
  /// Equal in everything but the hash.
  bool matches(const Form& other) const;
};

}  // namespace tessera::graph
