/// choose_mapping: which mapping a kernel over elements gets, of those that are passes from IR to IR.
#pragma once

#include <optional>

#include "tessera/mapping/mapped.h"
#include "tessera/mapping/operands.h"
#include "tessera/mapping/target.h"

namespace tessera::mapping {

/// The first mapping that applies; empty when none does.
std::optional<Mapped> choose_mapping(const ir::Kernel& kernel, const Operands& operands, const Target& target);

}  // namespace tessera::mapping
