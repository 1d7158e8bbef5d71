#include "tessera/library/random/distributions.h"

#include <cmath>

#include "tessera/base/error.h"

namespace tessera::library {

namespace {

// The largest mean for which Poisson draws fit in 64 bits with a margin of ten standard deviations.
const double poisson_limit = static_cast<double>(INT64_MAX) - std::sqrt(static_cast<double>(INT64_MAX)) * 10;
// RandomState's older bound is the same where C's long has 64 bits.
const double legacy_poisson_limit = poisson_limit;

const Distribution* find(std::span<const Distribution> rows, std::string_view name) {
  for (const Distribution& row : rows) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

}  // namespace

const Distribution& distribution(std::string_view name, bool legacy) {
  if (legacy) {
    if (const Distribution* row = find(legacy_continuous_distributions(), name)) return *row;
    if (const Distribution* row = find(legacy_discrete_distributions(), name)) return *row;
  }
  const Distribution* row = find(continuous_distributions(), name);
  if (!row) row = find(discrete_distributions(), name);
  invariant(row != nullptr, "no distribution named {}", name);
  return *row;
}

void check(const Parameter& parameter, Value value, bool many) {
  const std::string_view name = parameter.name;
  const double x = parameter.integer ? static_cast<double>(value.integer) : value.real;
  const char* nan = many ? "contains NaNs" : "is NaN";
  switch (parameter.constraint) {
    case Constraint::none: return;
    case Constraint::non_negative: return require<ValueError>(std::isnan(x) || !std::signbit(x), "{} < 0", name);
    case Constraint::positive_not_nan: require<ValueError>(!std::isnan(x), "{} must not be NaN", name); [[fallthrough]];
    case Constraint::positive: return require<ValueError>(!(x <= 0), "{} <= 0", name);
    case Constraint::unit_interval:
      return require<ValueError>(x >= 0 && x <= 1, "{} < 0, {} > 1 or {} {}", name, name, name, nan);
    case Constraint::unit_interval_open_below:
      return require<ValueError>(x > 0 && x <= 1, "{} <= 0, {} > 1 or {} contains NaNs", name, name, name);
    case Constraint::unit_interval_open_above:
      return require<ValueError>(x >= 0 && x < 1, "{} < 0, {} >= 1 or {} {}", name, name, name, nan);
    case Constraint::above_one: return require<ValueError>(x > 1, "{} <= 1 or {} {}", name, name, nan);
    case Constraint::at_least_one: return require<ValueError>(x >= 1, "{} < 1 or {} {}", name, name, nan);
    case Constraint::poisson:
    case Constraint::legacy_poisson: {
      const double limit = parameter.constraint == Constraint::poisson ? poisson_limit : legacy_poisson_limit;
      // In NumPy's order of checks, so that a NaN gives the message "too large" in an array and "NaN" as a scalar.
      if (!many) require<ValueError>(x >= 0, "{} < 0 or {} {}", name, name, nan);
      require<ValueError>(x <= limit, "{} value too large", name);
      return require<ValueError>(x >= 0, "{} < 0 or {} {}", name, name, nan);
    }
  }
}

}  // namespace tessera::library
