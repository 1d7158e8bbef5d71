/// QR, singular values, eigenvalues and least squares of batches of matrices.
#pragma once

#include "tessera/library/blas/batch.h"

namespace tessera::library {

/// The packed factors: `factors` (..., n, m) is the transpose of what geqrf leaves, tau is (..., min(m, n)).
void qr_packed(const Strided& a, const Strided& factors, const Strided& tau);
/// q (..., m, k), where k is min(m, n) or m, from packed factors and tau.
void qr_orthogonal(const Strided& factors, const Strided& tau, const Strided& q);

/// The vectors that a decomposition computes.
enum class Vectors : uint8_t { none, thin, full };
/// s descending (..., k); u and vh only if requested. Throws LinAlgError "SVD did not converge".
void singular_values(const Strided& a, Vectors vectors, const Strided& s, const Strided* u, const Strided* vh);

/// Ascending eigenvalues (..., n) of Hermitian matrices given by one triangle, and their vectors if requested. Throws
/// LinAlgError "Eigenvalues did not converge".
void hermitian_eigenvalues(const Strided& a, bool upper, const Strided& w, const Strided* v);
/// Eigenvalues and right eigenvectors of general matrices, complex. Throws LinAlgError "Eigenvalues did not converge".
void general_eigenvalues(const Strided& a, const Strided& w, const Strided* v);

/// x (n, k), residuals (k; NaN where the rank is short), rank and singular values of min |a x - b| for a (m, n), b (m,
/// k). Throws LinAlgError "SVD did not converge in Linear Least Squares".
void least_squares(const Strided& a, const Strided& b, double rcond, const Strided& x, const Strided& residuals,
                   int64_t& rank, const Strided& s);

}  // namespace tessera::library
