/// The kernels that copy elements from one layout to another; each states its buffers and scalars.
#pragma once

#include "tessera/ir/kernel.h"

namespace tessera::routines {

/// Elements as unsigned words: `words` of them each. `widens`: they become complex, with imaginary parts of zero.
struct CopiedItem {
  DType word;
  int words;
  bool widens;
};

inline constexpr int transposed_side = 32, transposed_threads = 256;

ir::Kernel copy_strided_kernel(const CopiedItem& item, int ndim);
ir::Kernel transpose_kernel(const CopiedItem& item);

}  // namespace tessera::routines
