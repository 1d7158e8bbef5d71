/// New arrays of records, an array for each field.
#pragma once

#include <vector>

#include "tessera/ir/builder.h"
#include "tessera/kernel/function.h"
#include "tessera/kernel/syntax/syntax.h"
#include "tessera/kernel/types/type.h"

namespace tessera::kernel {

class Lowering;

/// Of a type.
Item new_records(Lowering& l, const Node& node, const Entity& type, const std::vector<ir::Value>& extents, bool zeroed);
/// With the fields and extents of others.
Item records_like(Lowering& l, const Node& node, const Item& records, bool zeroed);

}  // namespace tessera::kernel
