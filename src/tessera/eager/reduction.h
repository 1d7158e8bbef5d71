/// Reductions on host memory for any op, one element after another in index order.
#pragma once

#include <optional>
#include <span>

#include "tessera/eager/host_array.h"
#include "tessera/ops/eager_loop.h"

namespace tessera::eager {

/// The loop T, T -> T with which `op` reduces elements of `source` type, accumulating in `dtype` where given (`out`:
/// the type of the array that receives the result). Throws TypeError with NumPy's message when there is none.
const ops::Signature& reduction_signature(const ops::Op& op, DType source, std::optional<DType> dtype,
                                          std::optional<DType> out);

/// The reduction over `axes` into `result`, which has the other axes and is dense. Source, result and `initial` have
/// the loop's type; the reduction starts with `initial` if given, else with the first element. Elements where `where`,
/// booleans of the source's shape, is false are skipped; it may be null. Returns the floating-point events.
uint32_t reduce_axes(const ops::EagerLoop& loop, HostView source, std::span<const int> axes, const Scalar* initial,
                     const HostView* where, HostView result, bool underflow);

/// Whether a packed result of the loop may show that floating-point events occurred.
bool needs_watching(const ops::EagerLoop& loop, HostView result);

}  // namespace tessera::eager
