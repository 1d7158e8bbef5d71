/// ufunc.at in device memory, for the routines that consist of it.
#pragma once

#include "tessera/ops/op.h"
#include "tessera/routines/calls.h"

namespace tessera::routines {

struct AtOp {
  const ops::Op& op;
  const ops::Signature& signature;
};
/// C-order numbers (int64, in range) of elements, and the second operand in the signature's type: `step` elements from
/// one to the next; null for ops of one operand.
struct AtPlaces {
  const char* numbers;
  int64_t count;
  const char* values;
  int64_t step;
  int operand = -1;  // number of the call's operand that the places are, or -1
};

/// target[number] = op(target[number], value) for all places, in order; the target is dense. Floating-point events
/// (status flags) are added to `events` (int32).
void apply_at(Launcher& launcher, const AtOp& at, const Elements& target, const AtPlaces& places, const char* events);

}  // namespace tessera::routines
