/// Draws of whole vectors: multinomial, Dirichlet, multivariate hypergeometric.
#pragma once

#include <span>

#include "tessera/library/random/sampler.h"

namespace tessera::library {

/// counts (all zero on entry) = n balls over boxes with these probabilities.
void draw_multinomial(Sampler& sampler, int64_t n, std::span<const double> probabilities, std::span<int64_t> counts);
/// out, as many rows of alpha.size() as fit.
void fill_dirichlet(Sampler& sampler, std::span<const double> alpha, std::span<double> out);
/// How the hypergeometric is drawn: by picking balls, or colour by colour from its marginals.
enum class UrnMethod : uint8_t { count, marginals };
/// out (all zero on entry): rows of colors.size(), each the colours of `sample` balls.
void fill_urn(Sampler& sampler, UrnMethod method, std::span<const int64_t> colors, int64_t sample,
              std::span<int64_t> out);

}  // namespace tessera::library
