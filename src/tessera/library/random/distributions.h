/// Distribution: NumPy's named distributions as rows of one table.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "tessera/library/random/sampler.h"

namespace tessera::library {

/// What a parameter must satisfy; NumPy's words for each follow from it.
enum class Constraint : uint8_t {
  none,
  non_negative,
  positive,
  positive_not_nan,
  unit_interval,             // [0, 1]
  unit_interval_open_below,  // (0, 1]
  unit_interval_open_above,  // [0, 1)
  above_one,                 // > 1
  at_least_one,
  poisson,
  legacy_poisson,
};

/// A parameter value: an integer for parameters marked so, else a double.
union Value {
  double real;
  int64_t integer;
};

struct Parameter {
  std::string_view name;
  Constraint constraint = Constraint::none;
  bool integer = false;
};

struct Distribution {
  std::string_view name;
  std::span<const Parameter> parameters;
  /// One of the two, by the type of the result.
  double (*draw)(Sampler& sampler, const Value* parameters) = nullptr;
  int64_t (*draw_integer)(Sampler& sampler, const Value* parameters) = nullptr;
  /// Whether draws with these parameters read halves of words alone; where null, or false, they read words alone.
  bool (*draws_halves)(const Value* parameters) = nullptr;
};

/// The distribution of that name; throws InvariantError when there is none.
const Distribution& distribution(std::string_view name, bool legacy);

/// Throws ValueError in NumPy's words when a value breaks the constraint; `many` when it comes from an array.
void check(const Parameter& parameter, Value value, bool many);

/// Rows of the table, by file.
std::span<const Distribution> continuous_distributions();
std::span<const Distribution> legacy_continuous_distributions();
std::span<const Distribution> discrete_distributions();
std::span<const Distribution> legacy_discrete_distributions();

}  // namespace tessera::library
