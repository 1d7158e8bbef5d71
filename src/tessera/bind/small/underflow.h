/// Detection of underflow, enabled only once an errstate does not ignore it: work then runs immediately, on the host,
/// element by element.
#pragma once

#include <cstdint>

#include "tessera/bind/engine/error_state.h"
#include "tessera/ops/op.h"

namespace tessera::bind {

/// Whether an errstate that does not ignore underflow was ever created; avoids reading the state otherwise.
inline bool underflow_was_asked_for = false;

/// Whether the current errstate does not ignore underflow.
inline bool watches_underflow() { return underflow_was_asked_for && error_state().under != ErrorMode::ignore; }

/// event_underflow when one of the n results is too small to be exact; pointers and strides as in EagerLoop::run.
uint32_t find_underflow(const ops::Op& op, const ops::Signature& signature, char* const* pointers,
                        const int64_t* strides, int64_t n);
/// The same for a cast.
uint32_t find_cast_underflow(DType from, DType to, char* const* pointers, const int64_t* strides, int64_t n);

}  // namespace tessera::bind
