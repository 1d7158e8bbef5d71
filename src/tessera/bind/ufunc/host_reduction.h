/// Reductions and scans that the engine does not record: at once on the host, or a scan on a device.
#pragma once

#include <optional>
#include <span>

#include "tessera/engine/engine.h"
#include "tessera/library/host/scan.h"
#include "tessera/ops/eager_loop.h"

namespace tessera::bind {

/// The reduction of a settled array that is small, or of all of it to an extreme; nothing where the engine reduces.
std::optional<Array> try_reduce_at_once(const ops::Op& op, const ops::Signature& signature, const Array& source,
                                        std::span<const int> axes, const std::optional<Scalar>& initial);
/// The reduction over `axes`, without them. `source` has the loop's type; the reduction starts with `initial` if given,
/// else with the first element. Elements where `where` is false are skipped.
Array reduce_axes(const ops::Op& op, const ops::Signature& signature, const Array& source, std::span<const int> axes,
                  const std::optional<Scalar>& initial, const std::optional<Operand>& where);
/// result[k] = op(result[k - 1], source[k]) along the axis.
Array scan_axis(const ops::Op& op, const ops::Signature& signature, const Array& source, int axis);
/// result[i] is the reduction over [starts[i], starts[i + 1]), or source[starts[i]] alone where that range is empty.
Array reduce_slices(const ops::Op& op, const ops::Signature& signature, const Array& source,
                    std::span<const int64_t> starts, int axis);

/// The scan in C order by the routine, which may be recorded; with its floating-point events.
Array scan_by_routine(library::ScanOp op, const Array& source, int axis, DType dtype);
/// Handles the floating-point events of a full reduction, whose result is synchronised, as the errstate requires: a
/// total that is not finite although all elements are.
void report_total(const Array& source, const Array& total);

}  // namespace tessera::bind
