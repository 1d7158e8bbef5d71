/// Draws of vectors: multinomial, Dirichlet, multivariate hypergeometric.
#pragma once

#include <span>

#include "tessera/library/random/sampler.h"

namespace tessera::library {

/// counts (all zero on entry) = numbers of n balls in boxes with these probabilities.
void draw_multinomial(Sampler& sampler, int64_t n, std::span<const double> probabilities, std::span<int64_t> counts);
/// Fills out with rows of alpha.size() numbers.
void fill_dirichlet(Sampler& sampler, std::span<const double> alpha, std::span<double> out);
/// How the hypergeometric is drawn: by drawing balls, or colour by colour from its marginals.
enum class UrnMethod : uint8_t { count, marginals };
/// out (all zero on entry): rows of colors.size() counts, the colours of `sample` balls each.
void fill_urn(Sampler& sampler, UrnMethod method, std::span<const int64_t> colors, int64_t sample,
              std::span<int64_t> out);

}  // namespace tessera::library
