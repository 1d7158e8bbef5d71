/// Small calls: ops on settled host arrays of few elements run at once, without a node, a plan or a kernel.
#pragma once

#include <span>

#include "tessera/bind/eager_loop.h"
#include "tessera/engine/engine.h"

namespace tessera::bind {

/// Up to this many elements recording costs more than running.
inline constexpr int64_t small_limit = 1024;

/// Runs op on operands that fit the loop in type or by a cast, over `shape`; null outputs are made in C order. False,
/// with nothing done, when something is large, pending or overlaps an output. Events go to handle_events.
bool try_small_call(const ops::Op& op, const ops::Signature& signature, std::span<const Operand> operands,
                    std::span<const int64_t> shape, std::span<Array> outputs);
/// All operands scalars of the loop's types: one element each result.
void run_scalars(const ops::Op& op, const ops::Signature& signature, std::span<const Operand> operands,
                 std::span<Scalar> results);

}  // namespace tessera::bind
