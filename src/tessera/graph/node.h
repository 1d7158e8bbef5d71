/// Node: one recorded request. Says what was asked, never how it will be done.
#pragma once

#include <cstdint>
#include <vector>

#include "tessera/graph/storage.h"
#include "tessera/layout/view.h"
#include "tessera/ops/op.h"

namespace tessera::graph {

enum class NodeKind : uint8_t {
  map,     // out (a fresh version) = op(inputs), elementwise over `shape`
  write,   // out (the next version of a storage) = `old` with the elements of `target` replaced by inputs[0], cast
  reduce,  // out (a fresh version) = inputs[0] over `shape`, the axes in `axes` folded by `reduce`
};

/// An operand over the node's shape: strided elements of a version, or one scalar when version is null.
struct Input {
  Ref<Version> version;
  int64_t offset = 0;
  Dims strides;
  DType dtype = DType::float64;
  Scalar scalar;
};

inline constexpr int max_inputs = 4;

struct Node {
  NodeKind kind = NodeKind::map;
  uint8_t input_count = 0;
  uint8_t result = 0;       // which result of the op, for ops with several
  uint8_t events = 0;       // ir::FloatEvent bits somebody wants reported
  ops::OpId op = 0;
  uint64_t axes = 0;        // reduce: one bit for each folded axis of `shape`
  bool pinned = false;      // write: others see this memory, so it must happen in place
  ir::ReduceKind reduce = ir::ReduceKind::add;
  const ops::Signature* signature = nullptr;
  uint64_t site = 0;
  uint64_t hash = 0;        // of everything but versions, offsets and scalars
  Dims shape;               // the iteration space
  Input inputs[max_inputs];
  Ref<Version> out;
  Ref<Version> old;         // write: the version before
  int64_t offset = 0;       // where the elements go in `out`
  Dims strides;             // map, write: over shape; reduce: over shape with 0 on folded axes
  DType dtype = DType::float64;  // of the stored elements
};

/// Hash of the parts of a node that do not change from one turn of a loop to the next.
uint64_t structural_hash(const Node& node);

}  // namespace tessera::graph
