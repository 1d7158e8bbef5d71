/// What compiled functions ask of BLAS and LAPACK (kernel/values/array/linear_algebra.h). No Python runs meanwhile.
#pragma once

#include <cstdint>

namespace tessera::bind {

/// Operands are those of kernel::HostFunction::linear_algebra. The rank of least squares, else 0; -1 where a matrix is
/// singular or not positive definite, or an iteration does not converge.
int64_t ask_linear_algebra(const int64_t* operands);

}  // namespace tessera::bind
