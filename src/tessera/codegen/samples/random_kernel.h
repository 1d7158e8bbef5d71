/// RandomKernel: a random kernel, drawn from all constructs of the IR, with arguments to run it on; for comparing
/// executions.
#pragma once

#include <random>

#include "tessera/codegen/samples/sample_kernels.h"

namespace tessera::codegen {

/// The result of one execution.
struct Outcome {
  std::vector<std::vector<char>> outputs;
  std::vector<uint32_t> flags;
};

/// What is drawn: all constructs of the IR for lanes that do not meet; only straight-line code on types that vector
/// registers hold, over longer rows; or all constructs for blocks of two or three axes whose lanes meet at barriers,
/// half of them user kernels (six axes, no checks).
enum class Forms : uint8_t { all, straight, blocks };

class RandomKernel {
 public:
  explicit RandomKernel(uint64_t seed, Forms mappings = Forms::all);

  const ir::Kernel& kernel() const { return kernel_; }
  const std::vector<int64_t>& extents() const { return extents_; }
  /// Whether no result shares an operand's memory.
  bool is_disjoint() const {
    return std::all_of(buffers_.begin(), buffers_.end(), [](const Buffer& buffer) { return buffer.replaces < 0; });
  }
  /// Runs a box; `memory` holds the memory of each buffer.
  using Execute = std::function<void(const ir::KernelArguments&, const int64_t* begin, const int64_t* end,
                                     std::span<std::vector<char>> memory)>;
  /// Runs all lanes on fresh outputs, in two boxes when `cut`.
  Outcome run(const Execute& execute, bool cut) const;
  /// Describes the first difference, with all NaNs equal; empty when there is none.
  std::string difference(const Outcome& got, const Outcome& expected) const;

 private:
  struct Buffer {
    ir::BufferParam param;
    std::vector<int64_t> shape;
    std::vector<int64_t> strides;
    std::vector<char> data;
    int64_t start = 0;      // byte position of element (0, ..., 0) in data
    int64_t replaces = -1;  // the operand whose memory this result shares
  };
  friend class KernelWriter;
  size_t memory_of(size_t buffer) const {
    return buffers_[buffer].replaces < 0 ? buffer : static_cast<size_t>(buffers_[buffer].replaces);
  }
  std::vector<int64_t> extents_;
  std::vector<Buffer> buffers_;
  std::vector<Scalar> scalars_;
  ir::Kernel kernel_;
};

}  // namespace tessera::codegen
