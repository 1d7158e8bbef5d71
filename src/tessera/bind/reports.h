/// Floating-point events as Python sees them: RuntimeWarnings at the recorded line.
#pragma once

#include <string_view>

#include "tessera/engine/engine.h"

namespace tessera::bind {

/// What NumPy calls the work in its warnings.
std::string_view name_of(const FloatReport& report);

/// Warns of events in work that was recorded there, as the errstate was: it only warned or ignored.
void warn_at_site(uint32_t events, std::string_view op, const Context& context);

/// Delivers what the engine collected since the last call; throws ErrorAlreadySet when a warning is an error.
void deliver_pending_reports();
inline void deliver_reports() {
  if (Engine::instance().has_reports()) [[unlikely]]
    deliver_pending_reports();
}

/// Engine::read and Engine::write, delivering the warnings of the work that had to run first.
inline const char* synchronise(const Array& array) {
  const char* data = Engine::instance().read(array);
  deliver_reports();
  return data;
}
/// The same of the elements alone, where they are a small part of what a device has; the array keeps them.
inline const char* look_nearby(Array& array) {
  array = Engine::instance().nearby(array);
  return synchronise(array);
}
inline char* synchronise_to_write(const Array& array) {
  char* data = Engine::instance().write(array);
  deliver_reports();
  return data;
}

}  // namespace tessera::bind
