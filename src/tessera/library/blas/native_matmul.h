/// Matrix products for types that BLAS lacks, and for every type when there is no BLAS.
#pragma once

#include "tessera/layout/dtype.h"
#include "tessera/library/blas/matrix.h"

namespace tessera::library {

/// out = a @ b, each element summed from first to last; integers wrap, half precision accumulates in float.
/// out must not overlap the inputs.
void native_matmul(DType dtype, const Matrix& a, const Matrix& b, const Matrix& out);

}  // namespace tessera::library
