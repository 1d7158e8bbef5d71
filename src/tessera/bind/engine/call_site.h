/// Call sites: the location in the user's program that requested an operation, encoded as one number.
#pragma once

#include <Python.h>

#include <cstdint>
#include <optional>
#include <string>

#include "tessera/bind/engine/error_state.h"
#include "tessera/engine/engine.h"

namespace tessera::bind {

/// A number that identifies the current Python instruction, the same each time it runs; takes a few nanoseconds. For
/// the package's own code it is the caller's instruction. 0 outside of Python.
uint64_t call_site();

struct SourceLine {
  std::string file;
  int line;
};
/// The source line of a call site; nothing for 0.
std::optional<SourceLine> source_line(uint64_t site);

/// "prog.py:12"; empty for 0.
std::string describe_site(uint64_t site);

/// The context stored with a recorded op: its call site and the current errstate.
inline Context current_context() { return {.site = call_site(), .errors = error_state()}; }

}  // namespace tessera::bind
