/// Kernels that compute sums of squares about means in one pass; each states its buffers and scalars.
#pragma once

#include "tessera/ir/kernel.h"

namespace tessera::routines {

/// The moments of a set of elements, as passed from one kernel to the next: their number, a centre, the sum of the
/// distances from it and the sum of the squared distances. One array holds the counts of all sets, then the centres,
/// and so on.
inline constexpr int numbers_a_moment = 4;
inline constexpr int64_t moment_rows = 16, joined_moments = 8;  // loaded at once

ir::Kernel moments_kernel(DType from, DType dtype);
/// `last`: combines moments to the sum of squares about the mean, of this dtype; else to moments of larger sets.
ir::Kernel join_moments_kernel(bool last, DType dtype);

}  // namespace tessera::routines
