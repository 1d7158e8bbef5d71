/// Registration of the tessera.scipy.special families in the op table.
#pragma once

#include <limits>

#include "tessera/ops/bodies.h"
#include "tessera/ops/op.h"
#include "tessera/ops/series.h"
#include "tessera/ops/signatures.h"

namespace tessera::ops {

inline constexpr double infinity = std::numeric_limits<double>::infinity();
inline constexpr double quiet_nan = std::numeric_limits<double>::quiet_NaN();

/// Registers a function of nin floating operands with the body f; samples are drawn from [low, high].
template <auto f, size_t nin>
void add_special_function(OpTable& table, std::string_view name, std::string_view doc, double low, double high,
                          ir::ErrorRule errors = ir::ErrorRule::none) {
  table.add({.name = name,
             .doc = doc,
             .kind = OpKind::special,
             .signatures = uniform_loops(floating_codes, nin),
             .body = body_of<f, nin>,
             .errors = errors,
             .samples = {low, high}});
}

void add_special_normal(OpTable& table);
void add_special_gamma(OpTable& table);
void add_special_bessel(OpTable& table);
void add_special_incomplete(OpTable& table);
void add_special_transforms(OpTable& table);

}  // namespace tessera::ops
