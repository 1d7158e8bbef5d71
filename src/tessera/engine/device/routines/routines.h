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
/// Where each wanted element would go among sorted ones, both taken as dtype: before equal ones or, `right`, behind them.
std::optional<Array> device_search(Engine& engine, const Array& sorted, const Array& wanted, DType dtype, bool right);
/// array.take(indices, axis); nothing, too, when an index is out of range: the host says so.
std::optional<Array> device_take(Engine& engine, const Array& array, const Array& indices, int axis, engine::PickMode mode);
std::optional<int64_t> device_count_nonzero(Engine& engine, const Array& array);
/// Where elements are not zero, one array an axis.
std::optional<std::vector<Array>> device_nonzero(Engine& engine, const Array& array);
/// The rows (over the mask's axes) that a boolean mask chooses.
std::optional<Array> device_compress(Engine& engine, const Array& array, const Array& mask);

/// The numbers of the rows (behind the leading axes) that index arrays of one shape name, one an axis; nothing, too, when
/// an index is out of range. device_take and device_put go on from there.
std::optional<Array> device_rows(Engine& engine, const Array& source, std::span<const Array> indices);
/// The same for elements, by indices along the last axis whose other axes are the source's.
std::optional<Array> device_rows_along(Engine& engine, const Array& source, const Array& indices);
/// Writes values, rows of `inner` elements used in turn over and over, to the rows of these numbers in the destination's C
/// order; of equal numbers the last one wins. False: nothing is written.
bool device_put(Engine& engine, const Array& destination, const Array& rows, int64_t inner, const Array& values);
/// Writes values to the elements that a mask of the destination's shape chooses, when there are as many; how many it chooses.
std::optional<int64_t> device_expand(Engine& engine, const Array& destination, const Array& mask, const Array& values);

}  // namespace tessera
