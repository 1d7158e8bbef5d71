/// NumPy's errstate, and what becomes of floating-point events under it.
#pragma once

#include <cstdint>
#include <string_view>

#include "tessera/engine/engine.h"

namespace tessera::bind {

/// The errstate of the current Python context; cheap while it does not change.
const ErrorState& error_state();

/// Whether a filter of Python's turns RuntimeWarnings into errors: then work that may warn runs at once.
inline bool warnings_raise = false;

/// True when events only warn or are ignored, underflow the latter, so that work may be recorded and run later.
inline bool may_wait(const ErrorState& state) {
  if (warnings_raise) [[unlikely]] return false;
  auto quiet = [](ErrorMode mode) { return mode == ErrorMode::ignore || mode == ErrorMode::warn; };
  return quiet(state.divide) && quiet(state.over) && state.under == ErrorMode::ignore && quiet(state.invalid);
}

/// Warns, raises, calls, prints or logs as the state says, in NumPy's order and words; throws ErrorAlreadySet.
void handle_events(uint32_t events, std::string_view name, const ErrorState& state);

}  // namespace tessera::bind
