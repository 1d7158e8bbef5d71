#include "tessera/graph/node.h"

namespace tessera::graph {

namespace {

/// Sums of independent products: the multiplications overlap, where a running hash would wait for each.
struct Mixer {
  uint64_t sum = 0;
  uint64_t factor = 0x9E3779B97F4A7C15ull;

  void add(uint64_t word) {
    sum += (word ^ factor >> 7) * factor;
    factor += 0xD1342543DE82EF96ull;  // even, so every factor stays odd
  }
  void add(const Dims& dims) {
    for (int64_t value : dims) add(static_cast<uint64_t>(value));
  }
};

}  // namespace

uint64_t structural_hash(const Node& node) {
  Mixer mixer;
  mixer.add(static_cast<uint64_t>(node.kind) | uint64_t{node.input_count} << 8 | uint64_t{node.result} << 16 |
            uint64_t{node.events} << 24 | uint64_t{node.op} << 32 | static_cast<uint64_t>(node.reduce) << 48 |
            uint64_t{node.pinned} << 56);
  mixer.add(node.axes);
  mixer.add(reinterpret_cast<uintptr_t>(node.signature));
  mixer.add(static_cast<uint64_t>(node.dtype) | node.shape.size() << 8);
  mixer.add(node.shape);
  mixer.add(node.strides);
  for (int i = 0; i < node.input_count; ++i) {
    const Input& input = node.inputs[i];
    mixer.add(static_cast<uint64_t>(input.dtype) | (input.version ? 256 : 0) | input.strides.size() << 16);
    mixer.add(input.strides);
  }
  return mixer.sum ^ mixer.sum >> 29;
}

}  // namespace tessera::graph
