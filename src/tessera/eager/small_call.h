/// Small calls: ops on settled host arrays of few elements run immediately, without a node, a plan or a kernel.
#pragma once

#include <optional>
#include <span>

#include "tessera/graph/array.h"
#include "tessera/ops/op.h"

namespace tessera::eager {

/// Up to this many elements, recording costs more than running.
inline constexpr int64_t small_limit = 1024;

/// Runs op over `shape` on operands that have the loop's types or are cast to them; null outputs are allocated in the
/// operands' memory order. Returns the floating-point events (ir::FloatEvent bits); nothing, with nothing done, when an
/// array is large or pending or overlaps an output. With `underflow`, which needs the operands, no array is large.
std::optional<uint32_t> try_call(const ops::Op& op, const ops::Signature& signature, std::span<const Operand> operands,
                                 std::span<const int64_t> shape, std::span<Array> outputs, bool underflow);
/// The same for operands that are all scalars of the loop's types: one element for each result.
uint32_t run_scalars(const ops::Op& op, const ops::Signature& signature, std::span<const Operand> operands,
                     std::span<Scalar> results, bool underflow);

}  // namespace tessera::eager
