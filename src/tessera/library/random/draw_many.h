/// Long runs of named distributions with fixed parameters, on all cores.
#pragma once

#include <span>

#include "tessera/library/random/distributions.h"

namespace tessera::library {

/// Fills out with the numbers that repeated calls of row.draw or row.draw_integer would return.
void draw_many(Sampler& sampler, const Distribution& row, const Value* values, std::span<double> out);
void draw_many(Sampler& sampler, const Distribution& row, const Value* values, std::span<int64_t> out);
/// Standard gamma draws in single precision.
void fill_gamma_float(Sampler& sampler, float shape, std::span<float> out);

}  // namespace tessera::library
