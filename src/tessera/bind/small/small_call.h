/// Small calls: ops on settled host arrays of few elements run immediately, without a node, a plan or a kernel.
#pragma once

#include <span>

#include "tessera/bind/small/eager_loop.h"
#include "tessera/engine/engine.h"

namespace tessera::bind {

/// Up to this many elements, recording costs more than running.
inline constexpr int64_t small_limit = 1024;

/// Runs op over `shape` on operands that have the loop's types or are cast to them; null outputs are allocated in C
/// order. False, with nothing done, when an array is large or pending or overlaps an output. Floating-point events go
/// to handle_events.
bool try_small_call(const ops::Op& op, const ops::Signature& signature, std::span<const Operand> operands,
                    std::span<const int64_t> shape, std::span<Array> outputs);
/// The same for operands that are all scalars of the loop's types: one element for each result.
void run_scalars(const ops::Op& op, const ops::Signature& signature, std::span<const Operand> operands,
                 std::span<Scalar> results);

}  // namespace tessera::bind
