/// Flattened blocks: kernels whose block has several axes, as kernels whose block is one row.
#pragma once

#include <cstdint>
#include <vector>

#include "tessera/ir/arguments.h"
#include "tessera/ir/kernel.h"

namespace tessera::ir {

/// The same kernel with the axes of its block flattened to one. The extents of the block's axes become int64 parameters
/// behind its own.
Kernel flatten_block(const Kernel& kernel);

/// A box of the kernel's space, which covers whole blocks, as the flattened kernel takes it.
class FlatBox {
 public:
  /// `axes` and `scalars` are those of the kernel, `first` the first axis of its block.
  FlatBox(const KernelArguments& arguments, const int64_t* begin, const int64_t* end, int axes, int first,
          size_t scalars);
  const KernelArguments& arguments() const { return arguments_; }
  const int64_t* begin() const { return begin_.data(); }
  const int64_t* end() const { return end_.data(); }

 private:
  std::vector<int64_t> begin_, end_, extents_, scalars_;
  KernelArguments arguments_;
};

}  // namespace tessera::ir
