/// Reductions on host memory for ops that the engine does not reduce: any op, one element after another in index order.
#pragma once

#include <optional>
#include <span>

#include "tessera/bind/small/eager_loop.h"
#include "tessera/engine/engine.h"

namespace tessera::bind {

/// The loop T, T -> T with which `op` reduces elements of `source` type, accumulating in `dtype` where given (`out`:
/// the type of the array that receives the result). Throws TypeError with NumPy's message when there is none.
const ops::Signature& reduction_signature(const ops::Op& op, DType source, std::optional<DType> dtype,
                                          std::optional<DType> out);

/// The reduction over `axes`, without them. `source` has the loop's type; the reduction starts with `initial` if given,
/// else with the first element. Elements where `where` is false are skipped.
Array reduce_axes(const ops::Op& op, const ops::Signature& signature, const Array& source, std::span<const int> axes,
                  const std::optional<Scalar>& initial, const std::optional<Operand>& where);
/// result[k] = op(result[k - 1], source[k]) along the axis.
Array scan_axis(const ops::Op& op, const ops::Signature& signature, const Array& source, int axis);
/// Handles the floating-point events of a scan whose result is on the host as the errstate requires; source and result
/// have the loop's type.
void report_running(const EagerLoop& loop, const Array& source, int axis, const Array& result);
/// result[i] is the reduction over [starts[i], starts[i + 1]), or source[starts[i]] alone where that range is empty.
Array reduce_slices(const ops::Op& op, const ops::Signature& signature, const Array& source,
                    std::span<const int64_t> starts, int axis);

/// Handles the floating-point events of a full reduction, whose result is synchronised, as the errstate requires: a
/// total that is not finite although all elements are.
void report_total(const Array& source, const Array& total);

}  // namespace tessera::bind
