/// NumPy's dot: contracts the last axis of a with the second to last of b, without broadcasting.
#pragma once

#include "tessera/library/blas/batch.h"

namespace tessera::library {

/// The shape of dot(a, b) for operands of at least one axis; throws ShapeError "shapes (2,3) and (4,) not aligned:
/// ...".
Dims matrix_product_shape(const Dims& a, const Dims& b);
/// out = dot(a, b): all of one dtype, out C-contiguous of matrix_product_shape and not overlapping the inputs.
void matrix_product(const Strided& a, const Strided& b, const Strided& out);

}  // namespace tessera::library
