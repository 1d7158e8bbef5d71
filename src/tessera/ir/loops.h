/// Precompiled inner loops: one primitive over n strided elements, selected once for this CPU's level.
#pragma once

#include <cstdint>

#include "tessera/ir/kernel.h"

namespace tessera::ir {

/// NumPy's inner-loop signature: pointers[k] advances by strides[k] bytes, operands first, results last.
using Loop = void (*)(char* const* pointers, const int64_t* strides, int64_t n);

/// The loop for `op` on operands of type `operand` with results of type `result` (which differ for casts, comparisons
/// and others), or null.
/// For `index`, the operand is an int64, and the results are that number and its successors, as int64 or floats.
/// Operands may equal the result exactly (in place); otherwise they must not overlap it.
Loop find_loop(Opcode op, DType operand, DType result);

/// Reduces n elements into *accumulator (which holds the value so far) in the given order; see ReduceKind.
/// pairwise: n <= 8192, and *accumulator receives the value of the tree (it is not read).
using ReduceLoop = void (*)(const char* element, int64_t stride, int64_t n, char* accumulator);
ReduceLoop find_reduce_loop(ReduceKind kind, ReduceOrder order, DType type);

/// For a row of a column-wise reduction, accumulator[i] = op(accumulator[i], element[i]), use find_loop.

/// FloatEvent bits that `rule` derives from n results and their operands (operand b may be null).
uint32_t find_events(ErrorRule rule, DType operand_type, DType result_type, const char* result, int64_t result_stride,
                     const char* a, int64_t a_stride, const char* b, int64_t b_stride, int64_t n);

}  // namespace tessera::ir
