/// The kernels of searches in sorted elements, of partitions, repetitions and interpolation.
#pragma once

#include "tessera/ir/kernel.h"
#include "tessera/ops/cost.h"

namespace tessera::routines {

/// Insertion indices of keys among sorted elements of the same type. buffers: sorted, keys, out (int64); scalar:
/// elements
ir::Kernel search_kernel(DType element, bool right);
/// nan_parts() of complex numbers as uint8, which sort before the numbers. buffers: x, out
ir::Kernel complex_nans_kernel(DType element);
/// The part of its row that each element belongs to, as uint8: below, equal to or above the elements at given indices
/// of the sorted row; in rows with NaN, one part for all. buffers: x, sorted, places (int64), out; scalars: length of a
/// row, places
ir::Kernel parts_kernel(DType element);
/// Elements (or their indices) in the order of their parts; rows with NaN sorted. buffers: x, sorted, order by parts,
/// [sorted order], out; scalar: length of a row
ir::Kernel parted_kernel(DType element, bool places);
/// The run that each number lies in. buffers: ends of the runs (int64), out; scalar: runs
ir::Kernel repeat_places_kernel();
ir::Kernel interpolate_kernel(int parts);

/// Binary searches of `wanted` keys among `sorted` elements.
ops::Cost cost_of_search(std::string_view op, int64_t wanted, int64_t sorted);

}  // namespace tessera::routines
