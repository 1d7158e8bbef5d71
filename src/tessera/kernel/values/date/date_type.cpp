// Types of dates and spans of time: int64 with a unit.
#include "tessera/kernel/types/type.h"
#include "tessera/kernel/types/type_rules.h"

namespace tessera::kernel {

namespace {

/// The finer unit of two of one kind.
std::optional<Type> unify_dates(const Type& a, const Type& b) {
  if (!b.is_scalar() || !a->unit || !b->unit || is_of_spans(a->unit) != is_of_spans(b->unit)) return {};
  const TimeUnit x = time_unit(a->unit), y = time_unit(b->unit);
  if (is_of_spans(a->unit) && !have_common_measure(x, y)) return {};
  TypeParts joined = *a;
  joined.unit = with_time_unit(a->unit, finer_unit(x, y));
  return joined;
}

std::string describe_date(const Type& type) { return name_of_unit(type->unit); }

void append_date(const Type& type, std::vector<DType>& dtypes) { dtypes.push_back(type->dtype); }

}  // namespace

const TypeRules date_type{.describe = describe_date, .append_scalars = append_date, .unify = unify_dates};

}  // namespace tessera::kernel
