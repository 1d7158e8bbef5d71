/// Dates and spans of time: int64 with a unit, whose arithmetic keeps NaT.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/kernel/syntax/syntax.h"
#include "tessera/kernel/types/dates.h"
#include "tessera/kernel/types/type.h"

namespace tessera::kernel {

class Lowering;
struct Builtin;
struct Call;

/// The type of a date or a span.
Type dated(Unit unit);
/// The type of an array's elements.
Type element_type_of(const Type& array);
/// The array, or number, as one of dates: the same words.
Item with_unit(const Item& item, Unit unit);
/// The unit that a dtype or its name stands for; 0 for all others.
Unit unit_meant(const Type& dtype);
/// The date or span in another unit of its kind: coarser ones are those that it is in.
Item convert_date(Lowering& l, const Item& item, Unit to);
/// As `convert_date`, where both are of one kind and have a common measure; a number becomes a span; else fails.
Item date_for(Lowering& l, const Node& node, const Item& item, Unit to);
/// The operator's result; nothing where neither is a date or a span.
std::optional<Item> binary_of_dates(Lowering& l, const Node& node, std::string_view op, const Item& left,
                                    const Item& right);
std::optional<Item> unary_of_date(Lowering& l, const Node& node, std::string_view op, const Item& item);
/// The condition of a comparison.
std::optional<ir::Value> compare_dates(Lowering& l, const Node& node, std::string_view op, const Item& left,
                                       const Item& right);
/// NumPy's function of that name on numbers.
std::optional<Item> apply_to_dates(Lowering& l, const Node& node, std::string_view op, const std::vector<Item>& items);
/// A call of a function of which an argument is a date, a span or an array of them; nothing where there is none, or
/// where the function only moves elements.
std::optional<Item> call_builtin_of_dates(Lowering& l, const Builtin& builtin, const Call& call);

}  // namespace tessera::kernel
