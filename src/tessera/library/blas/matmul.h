/// The product of two matrices of any dtype, with the routine that NumPy chooses for the shape.
#pragma once

#include "tessera/layout/dtype.h"
#include "tessera/library/blas/matrix.h"

namespace tessera::library {

/// How a column times a row is computed: NumPy's matmul multiplies plainly, its dot calls BLAS.
enum class OuterProduct : uint8_t { plain, blas };

/// out = a @ b. Operands in a layout that BLAS accepts are not copied. out must not overlap the inputs.
void matmul(DType dtype, const Matrix& a, const Matrix& b, const Matrix& out, OuterProduct outer = OuterProduct::plain);
/// out = a @ x.
void matvec(DType dtype, const Matrix& a, const Vector& x, const Vector& out);
/// out = conj(x) @ b.
void vecmat(DType dtype, const Vector& x, const Matrix& b, const Vector& out);

}  // namespace tessera::library
