/// Routines that run where their operands are: the device's counterparts of what library/host does, with its bits. Each
/// gives nothing when the host should do it.
#pragma once

#include <optional>

#include "tessera/engine/device/routines/kernels.h"
#include "tessera/engine/engine.h"
#include "tessera/library/host/scan.h"

namespace tessera {

/// The running fold along the axis, made in dtype.
std::optional<Array> device_scan(Engine& engine, library::ScanOp op, const Array& array, int axis, DType dtype);
/// Where the extreme of each lane along the axis is; the shape is the array's without it. axis < 0: of all elements.
std::optional<Array> device_extreme(Engine& engine, bool largest, const Array& array, int axis);
/// Rows along the last axis sorted stably as library/host/sort.h does, or where their elements then stand.
std::optional<Array> device_sort(Engine& engine, const Array& array, bool places);
/// Reorders `order`, which sorts rows by later keys, stably by one more key of its shape.
std::optional<Array> device_refine(Engine& engine, const Array& key, const Array& order);
/// What library/host/sort.h makes of rows along the last axis that are parted at a few places, not sorted.
std::optional<Array> device_partition(Engine& engine, const Array& array, std::span<const int64_t> at, bool places);
/// Elements along the axis as often as counts say: one for each, or one for all. Nothing, too, when one is negative.
std::optional<Array> device_repeat(Engine& engine, const Array& array, const Array& counts, int axis);
/// numpy.interp; `ends`: what lies left and right of all points, of one or two parts, or null for the values there.
std::optional<Array> device_interpolate(Engine& engine, const Array& x, const Array& xp, const Array& fp,
                                        std::span<const double* const, 2> ends);
/// Where each wanted element would go among sorted ones, both taken as dtype: before equal ones or, `right`, behind
/// them.
std::optional<Array> device_search(Engine& engine, const Array& sorted, const Array& wanted, DType dtype, bool right);
/// array.take(indices, axis); nothing, too, when an index is out of range: the host says so.
std::optional<Array> device_take(Engine& engine, const Array& array, const Array& indices, int axis,
                                 engine::PickMode mode);
std::optional<int64_t> device_count_nonzero(Engine& engine, const Array& array);
/// Where elements are not zero, one array an axis.
std::optional<std::vector<Array>> device_nonzero(Engine& engine, const Array& array);
/// The rows (over the mask's axes) that a boolean mask chooses.
std::optional<Array> device_compress(Engine& engine, const Array& array, const Array& mask);

/// An array as rows that have numbers, the C-order ones over the axes of `rows`, where its offset is; each is an
/// element, or as many as the other axes have. All three are views of the array's dtype.
struct RowLayout {
  View before, rows, behind;
};
/// The numbers that index arrays of one shape give the rows over these extents; nothing, too, when the mode is `raise`
/// and an index is out of range.
std::optional<Array> device_rows(Engine& engine, const Array& source, std::span<const int64_t> extents,
                                 std::span<const Array> indices, engine::PickMode mode = engine::PickMode::raise);
/// The same for elements, by indices along the last axis whose other axes are the source's.
std::optional<Array> device_rows_along(Engine& engine, const Array& source, const Array& indices);
/// The rows of these numbers, dense in the order before, rows, behind.
std::optional<Array> device_pick(Engine& engine, const Array& source, const RowLayout& layout, const Array& rows);
/// Writes values there: one element, or as many as device_pick would give for `period` rows, which are used in turn
/// over and over; of equal numbers the last one wins. False: nothing is written.
bool device_put(Engine& engine, const Array& destination, const RowLayout& layout, const Array& rows,
                const Array& values, int64_t period);
/// target[places] = op(target[places], values), one after the other: `places` are C-order numbers, dense; `values` is
/// null for ops of one operand, else one element or as many as places, dense, in the signature's type. Adds
/// floating-point events. False: nothing is written.
bool device_at(Engine& engine, const ops::Op& op, const ops::Signature& signature, const Array& target,
               const Array& places, const Array* values, uint32_t& events);
/// Products of matrices of one type over the same leading axes, integers wrapping.
std::optional<Array> device_integer_product(Engine& engine, const Array& a, const Array& b);
/// library/host/correlate.h, with `count` results.
std::optional<Array> device_correlate(Engine& engine, const Array& a, const Array& v, int64_t left, int64_t count,
                                      DType dtype);
/// The least and the largest of some integers.
std::optional<std::pair<int64_t, int64_t>> device_bounds(Engine& engine, const Array& values);
/// numpy.bincount of integers; throws ValueError when one is negative.
std::optional<Array> device_bincount(Engine& engine, const Array& values, const Array* weights, int64_t minlength);
/// Writes values to the elements that a mask of the destination's shape chooses, when there are as many; how many it
/// chooses.
std::optional<int64_t> device_expand(Engine& engine, const Array& destination, const Array& mask, const Array& values);

}  // namespace tessera
