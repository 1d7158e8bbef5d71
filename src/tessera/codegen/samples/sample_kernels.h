/// Sample kernels for tests and benchmarks of codegen, and helpers that run a kernel on plain arrays.
#pragma once

#include <memory>
#include <vector>

#include "tessera/codegen/compiler.h"
#include "tessera/ir/builder.h"

namespace tessera::codegen {

/// Opens a compiler from libtessera_codegen.so, found next to libtessera.so.
std::unique_ptr<Compiler> open_compiler(const CompilerOptions& options = {});

/// Arrays bound to a kernel's parameters: C-contiguous over `shape` unless strides are given.
class Binding {
 public:
  explicit Binding(std::vector<int64_t> extents) : extents_(std::move(extents)) {}
  Binding& add(void* data, std::vector<int64_t> shape, std::vector<int64_t> strides);
  Binding& add(void* data, std::vector<int64_t> shape, int64_t itemsize);
  Binding& add_scalar(const Scalar& value);
  /// Bytes of a block's dynamic shared memory.
  Binding& share(int64_t bytes) {
    arguments_.shared_bytes = bytes;
    return *this;
  }
  /// Runs the whole box.
  void run(ir::KernelEntry entry);
  const ir::KernelArguments& arguments();
  const std::vector<int64_t>& extents() const { return extents_; }
  std::vector<uint32_t> flags = std::vector<uint32_t>(64);

 private:
  std::vector<int64_t> extents_;
  std::vector<char*> buffers_;
  std::vector<int64_t> strides_;
  std::vector<int64_t> dimensions_;
  std::vector<char> scalars_;
  ir::KernelArguments arguments_{};
};

/// out = (a + b) * a - b
ir::Kernel chain_kernel(DType dtype, bool streaming);
/// out = scale * (center + north + south + west + east), each a shifted view of one array; every operation has a check
/// when `checked`.
ir::Kernel stencil_kernel(DType dtype, bool streaming, bool checked = false);
/// out = (sum of nine shifted views of one array of bytes) // divisor, a scalar
ir::Kernel smooth_kernel();
/// Call and put prices from spot, strike and time; scalars rate and volatility.
ir::Kernel black_scholes_kernel(DType dtype, bool streaming);
/// out = sum of a over its last axis
ir::Kernel row_sum_kernel(DType dtype, ir::ReduceOrder order, bool square);
/// out = reductions of a in chunks of 8192 elements, one lane each: the first step of a long reduction
ir::Kernel chunk_reduction_kernel(DType dtype, ir::ReduceKind kind);
/// out = sum of a over its first axis
ir::Kernel column_sum_kernel(DType dtype);
/// out = product of a over its first axis
ir::Kernel column_product_kernel(DType dtype);

}  // namespace tessera::codegen
