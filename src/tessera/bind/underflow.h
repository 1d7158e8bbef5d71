/// Underflow, which is looked for only once somebody has asked for it: then work runs at once, on the host, element by
/// element.
#pragma once

#include <cstdint>

#include "tessera/bind/error_state.h"
#include "tessera/ops/op.h"

namespace tessera::bind {

/// Whether an error state that does not ignore underflow was ever made; a look at the state costs time otherwise.
inline bool underflow_was_asked_for = false;

/// Whether the error state in force wants to hear of underflow.
inline bool watches_underflow() { return underflow_was_asked_for && error_state().under != ErrorMode::ignore; }

/// event_underflow when one of the n results is too small to be exact; pointers and strides as EagerLoop::run has them.
uint32_t find_underflow(const ops::Op& op, const ops::Signature& signature, char* const* pointers,
                        const int64_t* strides, int64_t n);
/// The same of a cast.
uint32_t find_cast_underflow(DType from, DType to, char* const* pointers, const int64_t* strides, int64_t n);

}  // namespace tessera::bind
