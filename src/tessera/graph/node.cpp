#include "tessera/graph/node.h"

#include "tessera/base/hash.h"

namespace tessera::graph {

uint64_t structural_hash(const Node& node) {
  Hash hash;
  hash.add(static_cast<uint64_t>(node.kind) | uint64_t{node.input_count} << 8 | uint64_t{node.result} << 16 |
           uint64_t{node.events} << 24 | uint64_t{node.op} << 32 | static_cast<uint64_t>(node.reduce) << 48);
  if (node.axes) hash.add(node.axes);
  hash.add(reinterpret_cast<uintptr_t>(node.signature));
  hash.add(static_cast<uint64_t>(node.dtype) | node.shape.size() << 8 | uint64_t{node.pinned} << 16);
  for (int64_t extent : node.shape) hash.add(static_cast<uint64_t>(extent));
  for (int64_t stride : node.strides) hash.add(static_cast<uint64_t>(stride));
  for (int i = 0; i < node.input_count; ++i) {
    const Input& input = node.inputs[i];
    hash.add(static_cast<uint64_t>(input.dtype) | (input.version ? 256 : 0));
    for (int64_t stride : input.strides) hash.add(static_cast<uint64_t>(stride));
  }
  return hash.value();
}

}  // namespace tessera::graph
