/// Precompiled inner loops: one primitive over n strided elements, chosen once for this CPU.
#pragma once

#include <cstdint>

#include "tessera/ir/kernel.h"

namespace tessera::ir {

/// NumPy's inner-loop form: pointers[k] walks by strides[k] bytes, operands first, results last.
using Loop = void (*)(char* const* pointers, const int64_t* strides, int64_t n);

/// The loop for `op` on operands of `operand` giving `result` (cast, comparisons and friends differ), or null.
/// Of `index` it is an int64 and the numbers after it, as int64 or floats.
/// Operands may equal the result exactly (in place); otherwise they must not overlap it.
Loop find_loop(Opcode op, DType operand, DType result);

/// Folds n elements into *accumulator (which holds the running value) in the given order; see ReduceKind.
/// pairwise: n <= 8192 and *accumulator receives the tree's value (it is not read).
using ReduceLoop = void (*)(const char* element, int64_t stride, int64_t n, char* accumulator);
ReduceLoop find_reduce_loop(ReduceKind kind, ReduceOrder order, DType type);

/// accumulator[i] = op(accumulator[i], element[i]): one row of a column-wise reduction is find_loop's job.

/// FloatEvent bits that `rule` derives from n results and their operands (operand b may be null).
uint32_t find_events(ErrorRule rule, DType operand_type, DType result_type, const char* result, int64_t result_stride,
                     const char* a, int64_t a_stride, const char* b, int64_t b_stride, int64_t n);

}  // namespace tessera::ir
