/// Which instructions the baseline has machine instructions for; the others are calls of their precompiled loops.
#pragma once

#include "tessera/ir/kernel.h"

namespace tessera::lanes {

/// Whether values of this type live in vector registers: booleans as masks, the others as they are.
bool is_register_type(DType dtype);

/// Whether v, which computes something, is written in place.
bool is_direct(const ir::Kernel& kernel, ir::Value v);
/// Whether v is done by its precompiled loop: a CallRule.
bool is_baseline_call(const ir::Kernel& kernel, ir::Value v);

/// What a lane loop tests to notice that the events of a check may have happened.
enum class Alarm : uint8_t {
  never,
  not_finite,   // the result is infinite or NaN
  is_smallest,  // the result is the least integer, which conversions give when a value does not fit
  divisor,      // the divisor is 0 or -1
  unknown,      // no test of the baseline's
};
Alarm alarm_of(const ir::Kernel& kernel, const ir::Instruction& check, std::span<const ir::Value> operands);

}  // namespace tessera::lanes
