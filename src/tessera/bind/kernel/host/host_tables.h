/// What compiled functions ask of the host for dicts and sets (kernel/values/table/table.h).
#pragma once

#include <cstdint>

namespace tessera::bind {

struct HostCalls;

/// Operands are those of kernel::HostFunction::table.
int64_t ask_table(HostCalls& calls, const int64_t* operands);

}  // namespace tessera::bind
