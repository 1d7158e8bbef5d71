/// NumPy's errstate, and the handling of floating-point events under it.
#pragma once

#include <bit>
#include <cstdint>
#include <string_view>

#include "tessera/engine/engine.h"

namespace tessera::bind {

/// The errstate of the current Python context; fast while it does not change.
ErrorState error_state();

/// Whether a Python warning filter turns RuntimeWarnings into errors: then work that may warn runs immediately.
inline bool warnings_raise = false;

/// True when events only warn or are ignored and underflow is ignored, so that work may be recorded and run later.
inline bool may_wait(const ErrorState& state) {
  if (warnings_raise) [[unlikely]]
    return false;
  static_assert(static_cast<int>(ErrorMode::ignore) == 0 && static_cast<int>(ErrorMode::warn) == 1);
  constexpr ErrorState most{
      .divide = ErrorMode::warn, .over = ErrorMode::warn, .under = ErrorMode::ignore, .invalid = ErrorMode::warn};
  return (std::bit_cast<uint32_t>(state) & ~std::bit_cast<uint32_t>(most)) == 0;
}

/// Whether an errstate that does not ignore underflow was ever created; avoids reading the state otherwise.
inline bool underflow_was_asked_for = false;

/// Whether the current errstate does not ignore underflow.
inline bool watches_underflow() { return underflow_was_asked_for && error_state().under != ErrorMode::ignore; }

/// Warns, raises, calls, prints or logs as the state requires, with NumPy's messages and order; throws ErrorAlreadySet.
void handle_events(uint32_t events, std::string_view name, const ErrorState& state);
/// The same under the current errstate.
inline void handle_events(uint32_t events, std::string_view name) {
  if (events) [[unlikely]]
    handle_events(events, name, error_state());
}

}  // namespace tessera::bind
