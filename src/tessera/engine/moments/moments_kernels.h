/// The kernels that find sums of squares about means in one pass; each says what it wants for buffers and scalars.
#pragma once

#include "tessera/ir/kernel.h"

namespace tessera::engine {

/// What so many elements come to, as they cross from one kernel to the next: how many they are, a centre, and the sums
/// of their distances from it and of the distances' squares. One array holds the counts of all, then the centres, and
/// so on.
inline constexpr int numbers_a_moment = 4;
inline constexpr int64_t moment_rows = 16, joined_moments = 8;  // taken at once

ir::Kernel moments_kernel(DType from, DType dtype);
/// `last`: to the sum of squares about the mean, of this dtype; else to moments of more elements.
ir::Kernel join_moments_kernel(bool last, DType dtype);

}  // namespace tessera::engine
