/// sum_of_products: Einstein's summation over few elements by plain loops.
#pragma once

#include <cstdint>
#include <span>

#include "tessera/layout/view.h"

namespace tessera::library {

/// One factor: where it starts, and its step in bytes along every label (0 for labels it lacks).
struct Factor {
  const char* data;
  Dims steps;
};

/// Dtypes that sum_of_products computes with.
bool has_sum_of_products(DType dtype);

/// out[i...] = sum over the labels after the first `kept` of the product of the factors; out is contiguous over the
/// first `kept` labels. Factors are of `dtype`.
void sum_of_products(std::span<const Factor> factors, std::span<const int64_t> extents, int kept, DType dtype,
                     char* out);

}  // namespace tessera::library
