/// Small reductions, run immediately on settled host arrays with results bitwise equal to the engine's.
#pragma once

#include <optional>
#include <span>

#include "tessera/graph/array.h"
#include "tessera/ir/loops.h"
#include "tessera/ops/op.h"

namespace tessera::eager {

/// Up to this many elements; below a leaf chunk, so that one tree gives the whole sum.
inline constexpr int64_t reduce_limit = 4096;

/// A result, and the floating-point events of computing it (ir::FloatEvent bits).
struct Reduced {
  Array array;
  uint32_t events = 0;
};

/// The reduction over `axes`, started with `initial` where given; nothing when the array is large or pending, or when
/// the engine determines the order of the reduction (several axes of an array that is not contiguous).
std::optional<Reduced> try_reduce(const ops::Op& op, const ops::Signature& signature, const Array& source,
                                  std::span<const int> axes, const std::optional<Scalar>& initial, bool underflow);

/// Reduces n contiguous elements to `total` with a reduction whose order does not affect the result: the precompiled
/// loop runs at memory bandwidth, on all threads where there is enough work.
void reduce_whole(ir::ReduceLoop reduction, const char* data, int64_t size, int64_t n, char* total);

}  // namespace tessera::eager
