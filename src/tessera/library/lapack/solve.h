/// Linear systems, inverses, determinants, Cholesky factors, of batches of square matrices.
#pragma once

#include "tessera/library/blas/batch.h"

namespace tessera::library {

/// x = a^-1 b; a (..., n, n), b and x (..., n, k), all of one dtype. Throws LinAlgError "Singular matrix".
void solve(const Strided& a, const Strided& b, const Strided& x);
/// out = a^-1. Throws LinAlgError "Singular matrix".
void invert(const Strided& a, const Strided& out);
/// sign (dtype of a) and log (its real dtype) of the determinants, (...) each.
void log_determinant(const Strided& a, const Strided& sign, const Strided& log);
/// The determinants, (...).
void determinant(const Strided& a, const Strided& out);
/// out = the lower (or upper) factor. Throws LinAlgError "Matrix is not positive definite".
void cholesky(const Strided& a, const Strided& out, bool upper);

}  // namespace tessera::library
