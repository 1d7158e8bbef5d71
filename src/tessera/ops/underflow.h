/// Detection of underflow, element by element, for callers that ask for it.
#pragma once

#include <cstdint>

#include "tessera/ops/op.h"

namespace tessera::ops {

/// event_underflow when one of the n results is too small to be exact; pointers and strides as in EagerLoop::run.
uint32_t find_underflow(const ops::Op& op, const ops::Signature& signature, char* const* pointers,
                        const int64_t* strides, int64_t n);
/// The same for a cast.
uint32_t find_cast_underflow(DType from, DType to, char* const* pointers, const int64_t* strides, int64_t n);

}  // namespace tessera::ops
