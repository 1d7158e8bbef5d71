/// Routines: device implementations of the routines in library/host, with bit-identical results. Each returns nothing
/// when the host should run it.
#pragma once

#include <optional>

#include "tessera/engine/engine.h"
#include "tessera/routines/rows/kernels.h"

namespace tessera {

/// Repeats elements along the axis by counts, one per element. Nothing, too, when one is negative.
std::optional<Array> device_repeat(Engine& engine, const Array& array, const Array& counts, int axis);
/// array.take(indices, axis); nothing, too, when an index is out of range: the host then raises the error.
std::optional<Array> device_take(Engine& engine, const Array& array, const Array& indices, int axis,
                                 routines::PickMode mode);

/// An array as numbered rows: the C-order numbers over the axes of `rows`, which has the array's offset. A row is one
/// element, or as many as the other axes have. All three are views of the array's dtype.
struct RowLayout {
  View before, rows, behind;
};
/// The row numbers that index arrays of one shape select over these extents; nothing, too, when the mode is `raise` and
/// an index is out of range.
std::optional<Array> device_rows(Engine& engine, const Array& source, std::span<const int64_t> extents,
                                 std::span<const Array> indices, routines::PickMode mode = routines::PickMode::raise);
/// The same for single elements, by indices along the last axis whose other axes are the source's.
std::optional<Array> device_rows_along(Engine& engine, const Array& source, const Array& indices);
/// The rows with these numbers, dense in the order before, rows, behind.
std::optional<Array> device_pick(Engine& engine, const Array& source, const RowLayout& layout, const Array& rows);
/// Writes values to the rows: one element, or as many as device_pick would return for `period` rows, which are repeated
/// cyclically. For equal row numbers the last one wins. False: nothing is written.
bool device_put(Engine& engine, const Array& destination, const RowLayout& layout, const Array& rows,
                const Array& values, int64_t period);
/// target[places] = op(target[places], values), sequentially: `places` are C-order numbers, dense; `values` is null for
/// ops of one operand, else one element or as many as places, dense, in the signature's type. Adds floating-point
/// events (status flags). False: nothing is written.
bool device_at(Engine& engine, const ops::Op& op, const ops::Signature& signature, const Array& target,
               const Array& places, const Array* values, uint32_t& events);
/// numpy.bincount of integers with weights; throws ValueError when an integer is negative.
std::optional<Array> device_weighted_bincount(Engine& engine, const Array& values, const Array& weights,
                                              int64_t minlength);
/// Writes values to the elements that a mask of the destination's shape chooses, when there are as many; how many it
/// chooses.
std::optional<int64_t> device_expand(Engine& engine, const Array& destination, const Array& mask, const Array& values);

}  // namespace tessera
