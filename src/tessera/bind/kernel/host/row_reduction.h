/// What compiled functions ask of a row of elements in one call (kernel/values/array/row.h). No Python runs meanwhile.
#pragma once

#include <cstdint>

namespace tessera::bind {

/// Operands are those of kernel::HostFunction::reduce_row.
int64_t reduce_row(const int64_t* operands);

}  // namespace tessera::bind
