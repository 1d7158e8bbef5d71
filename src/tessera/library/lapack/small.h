/// Small matrices of doubles, of up to 8 rows, factorised in place without LAPACK: Gauss with partial pivoting
/// (Golub and Van Loan, 3.4).
#pragma once

#include "tessera/library/blas/batch.h"

namespace tessera::library {

inline constexpr int64_t most_small_rows = 8;

/// Whether it is one square matrix of doubles with few rows.
bool is_small(const Strided& a);

/// x = a^-1 b; a (n, n), b and x (n, k), of doubles. Throws LinAlgError "Singular matrix".
void solve_small(const Strided& a, const Strided& b, const Strided& x);
/// out = a^-1. Throws LinAlgError "Singular matrix".
void invert_small(const Strided& a, const Strided& out);
double small_determinant(const Strided& a);
/// The sign, and the logarithm of the size, -inf of zero.
void small_log_determinant(const Strided& a, double& sign, double& log);

}  // namespace tessera::library
