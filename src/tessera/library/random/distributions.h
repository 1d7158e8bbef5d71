/// Distribution: NumPy's named distributions as a table.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "tessera/library/random/sampler.h"

namespace tessera::library {

/// The constraint on a parameter, which determines NumPy's error message.
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

/// A parameter value: an integer for parameters declared so, else a double.
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
  /// One of the two is set, according to the result type.
  double (*draw)(Sampler& sampler, const Value* parameters) = nullptr;
  int64_t (*draw_integer)(Sampler& sampler, const Value* parameters) = nullptr;
  /// Whether draws with these parameters consume only 32-bit halves; if null or false, they consume only whole words.
  bool (*draws_halves)(const Value* parameters) = nullptr;
};

/// The distribution with that name; throws InvariantError when there is none.
const Distribution& distribution(std::string_view name, bool legacy);

/// Throws ValueError with NumPy's message when a value violates the constraint; `many` when it comes from an array.
void check(const Parameter& parameter, Value value, bool many);

/// The rows of the table that each source file defines.
std::span<const Distribution> continuous_distributions();
std::span<const Distribution> legacy_continuous_distributions();
std::span<const Distribution> discrete_distributions();
std::span<const Distribution> legacy_discrete_distributions();

}  // namespace tessera::library
