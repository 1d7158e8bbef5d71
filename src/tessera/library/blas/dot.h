/// The dot product of two vectors.
#pragma once

#include "tessera/layout/dtype.h"
#include "tessera/library/blas/matrix.h"

namespace tessera::library {

/// *out = sum of x[i] * y[i]; uses BLAS where strides allow, as NumPy does.
void dot(DType dtype, const Vector& x, const Vector& y, char* out);
/// The same with x conjugated.
void conjugate_dot(DType dtype, const Vector& x, const Vector& y, char* out);

}  // namespace tessera::library
