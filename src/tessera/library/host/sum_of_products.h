/// sum_of_products: Einstein summation over small operands by plain loops.
#pragma once

#include <cstdint>
#include <span>

#include "tessera/layout/view.h"

namespace tessera::library {

/// One factor: its address, and its stride in bytes along every label (0 for labels that it lacks).
struct Factor {
  const char* data;
  Dims steps;
};

/// Whether sum_of_products supports the dtype.
bool has_sum_of_products(DType dtype);

/// out[i...] = sum over the labels after the first `kept` of the product of the factors; out is contiguous over the
/// first `kept` labels. Factors are of `dtype`.
void sum_of_products(std::span<const Factor> factors, std::span<const int64_t> extents, int kept, DType dtype,
                     char* out);

}  // namespace tessera::library
