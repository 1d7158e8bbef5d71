/// What a function returns.
#pragma once

#include "tessera/kernel/types/type.h"

namespace tessera::kernel {

class Lowering;

/// What the current function returns; of type none if that is nothing.
Item returned(Lowering& l);
/// Whether control may reach the end of the function that the host calls.
bool may_end_without_result(const Lowering& l);
/// Stores the result for the host, as `declared` says where that is given.
void store_result(Lowering& l, const Type* declared);

}  // namespace tessera::kernel
