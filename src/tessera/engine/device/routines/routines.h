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
/// array.take(indices, axis); nothing, too, when an index is out of range: the host says so.
std::optional<Array> device_take(Engine& engine, const Array& array, const Array& indices, int axis, engine::PickMode mode);
/// The rows (over the mask's axes) that a boolean mask chooses.
std::optional<Array> device_compress(Engine& engine, const Array& array, const Array& mask);

}  // namespace tessera
