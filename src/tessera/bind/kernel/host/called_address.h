/// Functions in C at addresses, which compiled functions call (kernel/builtins/called_address.cpp). No Python runs
/// meanwhile.
#pragma once

#include <cstdint>

namespace tessera::bind {

/// Operands are those of kernel::HostFunction::call_address. The result's bits, 0 where there is none.
int64_t call_address(const int64_t* operands);

}  // namespace tessera::bind
