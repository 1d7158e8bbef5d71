/// Context: what a recorded operation carries beside its operands, and the reports of its floating-point events.
#pragma once

#include <cstdint>
#include <string>

#include "tessera/ops/op.h"

namespace tessera {

/// NumPy's errstate: one mode for each kind of floating-point event.
enum class ErrorMode : uint8_t { ignore, warn, raise, call, print, log };
struct ErrorState {
  ErrorMode divide = ErrorMode::warn;
  ErrorMode over = ErrorMode::warn;
  ErrorMode under = ErrorMode::ignore;
  ErrorMode invalid = ErrorMode::warn;
  friend bool operator==(const ErrorState&, const ErrorState&) = default;
};

/// Floating-point events (status flags) raised by the op or routine of this name; `site` is the token that was passed
/// when it was recorded (a source line).
struct FloatReport {
  std::string_view op;
  uint32_t events;  // ir::FloatEvent bits
  uint64_t site;
};

/// Callbacks of the caller for sites, the tokens that recorded ops carry.
struct SiteHooks {
  uint64_t (*current)() = nullptr;              // the site that runs now
  std::string (*describe)(uint64_t) = nullptr;  // "prog.py:12"; empty for 0
};

/// The site of a recorded op, and how its floating-point events are handled.
struct Context {
  uint64_t site = 0;
  ErrorState errors;
};

}  // namespace tessera
