/// The instructions that the baseline implements inline; it calls the precompiled loops of the others.
#pragma once

#include "tessera/ir/kernel.h"

namespace tessera::lanes {

/// Whether values of this type are held in vector registers: booleans as masks, other types as they are.
bool is_register_type(DType dtype);

/// Whether v, which computes a value, is implemented inline.
bool is_direct(const ir::Kernel& kernel, ir::Value v);
/// Whether v is computed by its precompiled loop: a CallRule.
bool is_baseline_call(const ir::Kernel& kernel, ir::Value v);

/// The test by which a lane loop detects that the events of a check may have happened.
enum class Alarm : uint8_t {
  never,
  not_finite,   // the result is infinite or NaN
  is_smallest,  // the result is the least integer, which out-of-range conversions give
  divisor,      // the divisor is 0 or -1
  unknown,      // the baseline has no test
};
Alarm alarm_of(const ir::Kernel& kernel, const ir::Instruction& check, std::span<const ir::Value> operands);

}  // namespace tessera::lanes
