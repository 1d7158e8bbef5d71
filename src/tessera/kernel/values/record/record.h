/// Records: structured arrays, an array for each field.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tessera/ir/builder.h"
#include "tessera/kernel/function.h"
#include "tessera/kernel/syntax/syntax.h"
#include "tessera/kernel/types/type.h"

namespace tessera::kernel {

class Lowering;

/// The name of the field that a text or, of one record, a constant number stands for.
std::string field_name(Lowering& l, const Node& node, const Item& record, const Item& index);
/// An array of a record's field, and what stores to it.
Item field_place(Lowering& l, const Node& node, const Item& record, std::string_view name);
/// Stores the fields of a record.
void store_record(Lowering& l, const Node& node, const Item& place, const Item& value);
/// The array of a field; of one record, its value.
Item field(Lowering& l, const Node& node, const Item& record, std::string_view name);
/// New records with these values.
Item copy_records(Lowering& l, const Node& node, const Item& records);

}  // namespace tessera::kernel
