/// What compiled functions ask of the host for texts in memory (kernel/values/text/string.h).
#pragma once

#include <cstdint>

namespace tessera::bind {

struct HostCalls;

/// Operands are those of kernel::HostFunction::text.
int64_t ask_text(HostCalls& calls, const int64_t* operands);

}  // namespace tessera::bind
