/// Form: the part of a request that is the same in every iteration of a loop: everything but memory, offsets and
/// scalars.
#pragma once

#include <cstdint>

#include "tessera/base/ref.h"
#include "tessera/layout/view.h"
#include "tessera/ops/user_op.h"

namespace tessera::graph {

enum class NodeKind : uint8_t {
  map,     // out (a fresh version) = op(inputs), elementwise over `shape`
  write,   // out (the next version of a storage) = `old` with the elements of `target` replaced by inputs[0], cast
  reduce,  // out (a fresh version) = inputs[0] over `shape`, reduced by `reduce` along the axes in `axes`
  call,  // fresh versions = a routine of any operands; the node's Call (graph/call.h) says which. Never part of a plan
};

inline constexpr int max_inputs = 8;

/// An operand over the form's shape: strided elements, or one scalar.
struct InputForm {
  bool scalar = false;
  DType dtype = DType::float64;
  Dims strides;

  friend bool operator==(const InputForm&, const InputForm&) = default;
};

/// Immutable once a node has it; nodes with equal forms share one object.
struct Form : RefCounted<Form, uint32_t> {
  NodeKind kind = NodeKind::map;
  uint8_t input_count = 0;
  uint8_t result = 0;           // which result of the op, for ops with several
  uint8_t events = 0;           // ir::FloatEvent bits to report
  const ops::Op* op = nullptr;  // null for calls; set_op
  bool pinned = false;          // write: the memory is shared with other code, so it must be written in place
  ir::ReduceKind reduce = ir::ReduceKind::add;
  bool natural = false;          // map: the result's axes have the operands' order; not part of the hash
  DType dtype = DType::float64;  // of the stored elements
  uint64_t axes = 0;             // reduce: one bit for each reduced axis of `shape`
  const ops::Signature* signature = nullptr;
  Dims shape;    // the iteration space
  Dims strides;  // map, write: over shape; reduce: over shape with 0 on reduced axes
  InputForm inputs[max_inputs];
  uint64_t call = 0;   // call: Call::hash()
  int64_t nbytes = 0;  // of the result, or of the elements that are written; follows from the above
  /// For a write whose operand has the target's strides: a distance between the two in one version at which they are
  /// known to share no byte, stored when it was first computed; 0: none.
  mutable int64_t apart = 0;
  uint64_t hash = 0;             // of all of the above
  Ref<const ops::UserOp> owner;  // of the op, where it is a user's

  void set_op(const ops::Op& to) {
    op = &to;
    owner = ops::owner_of(to);
  }
  static Form* make();
  static void destroy(Form* form);
  /// Call once all fields are set; returns the hash.
  uint64_t set_hash();
  /// Whether all fields but the hash are equal.
  bool matches(const Form& other) const;
};

}  // namespace tessera::graph
