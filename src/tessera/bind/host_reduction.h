/// Folds on host memory for what is not one of the engine's reductions: any op, element after element in index order.
#pragma once

#include <optional>
#include <span>

#include "tessera/bind/eager_loop.h"
#include "tessera/engine/engine.h"

namespace tessera::bind {

/// The loop T, T -> T that folds of `op` over elements of `source` type use, accumulating in `dtype` where given
/// (`out`: the type of the array that receives the result). Throws TypeError in NumPy's words when there is none.
const ops::Signature& reduction_signature(const ops::Op& op, DType source, std::optional<DType> dtype,
                                          std::optional<DType> out);

/// Result of folding over `axes`, without them. `source` has the loop's type; `initial` starts the fold, else the first
/// element does. Elements where `where` is false are skipped.
Array reduce_axes(const ops::Op& op, const ops::Signature& signature, const Array& source, std::span<const int> axes,
                  const std::optional<Scalar>& initial, const std::optional<Operand>& where);
/// result[k] = op(result[k - 1], source[k]) along the axis.
Array scan_axis(const ops::Op& op, const ops::Signature& signature, const Array& source, int axis);
/// Warns (or what the errstate says) of what a running fold, now on the host, gave rise to; source and result have the
/// loop's type.
void report_running(const EagerLoop& loop, const Array& source, int axis, const Array& result);
/// result[i] is the fold over [starts[i], starts[i + 1]), or source[starts[i]] alone where that is empty.
Array reduce_slices(const ops::Op& op, const ops::Signature& signature, const Array& source,
                    std::span<const int64_t> starts, int axis);

/// Warns (or what the errstate says) when the total of finite elements, now looked at, is not finite.
void report_total(const Array& source, const Array& total);

}  // namespace tessera::bind
