/// Floating-point events as Python sees them: RuntimeWarnings at the line that recorded the op.
#pragma once

#include <string_view>

#include "tessera/engine/engine.h"

namespace tessera::bind {

/// The name that NumPy's warnings use for the op.
std::string_view name_of(const FloatReport& report);

/// Warns of events in work that was recorded at the context's call site; its errstate only warned or ignored.
void warn_at_site(uint32_t events, std::string_view op, const Context& context);

/// Delivers the warnings that the engine collected since the last call; throws ErrorAlreadySet when a warning is an
/// error.
void deliver_pending_reports();
inline void deliver_reports() {
  if (Engine::instance().has_reports()) [[unlikely]]
    deliver_pending_reports();
}

/// What the next wait does besides, if there is anything: kernels that were launched may have failed.
inline constinit void (*at_next_wait)() = nullptr;
/// Whether that will throw; set where it is set.
inline constinit bool (*next_wait_throws)() = nullptr;
inline void finish_wait() {
  deliver_reports();
  if (at_next_wait) [[unlikely]]
    at_next_wait();
}

/// Runs and handles the floating-point events of work that may not be deferred (errstate raise, call, print, log).
void finish_events(const ErrorState& state);

/// Reading::read and Reading::write; also deliver the warnings of the work that had to run first. Reading throws what
/// kernels have raised.
inline const char* synchronise(const Array& array) {
  const char* data = Engine::instance().read(array);
  finish_wait();
  return data;
}
/// Like synchronise, but copies only the array's elements where they are a small part of a device allocation; the array
/// then refers to the copy.
inline const char* read_nearby(Array& array) {
  array = Engine::instance().nearby(array);
  return synchronise(array);
}
inline char* synchronise_to_write(const Array& array) {
  char* data = Engine::instance().write(array);
  deliver_reports();
  return data;
}

}  // namespace tessera::bind
