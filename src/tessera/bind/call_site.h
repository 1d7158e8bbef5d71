/// Call sites: where in the user's program an operation was asked for, as one number.
#pragma once

#include <Python.h>

#include <cstdint>
#include <optional>
#include <string>

#include "tessera/bind/error_state.h"
#include "tessera/engine/engine.h"

namespace tessera::bind {

/// A number for the Python instruction that runs now, the same each time it runs; a few nanoseconds. Of this package's
/// own code it is the caller's. 0 outside of Python.
uint64_t call_site();

struct SourceLine {
  std::string file;
  int line;
};
/// The line that a call site stands for; nothing for 0.
std::optional<SourceLine> source_line(uint64_t site);

/// "prog.py:12"; empty for 0.
std::string describe_site(uint64_t site);

/// What a recorded op should know about its caller.
inline Context current_context() { return {.site = call_site(), .errors = error_state()}; }

}  // namespace tessera::bind
