/// box_of: the bytes of a view's elements.
#pragma once

#include <optional>

#include "tessera/plan/plan.h"

namespace tessera::plan {

/// A view's elements as a box; empty when several elements share an address.
std::optional<ByteBox> box_of(const Binding& binding, int64_t item);

}  // namespace tessera::plan
