/// Sampler: single draws from named distributions, with the algorithms of NumPy's Generator or legacy RandomState.
#pragma once

#include <cstdint>

#include "tessera/library/random/bit_generator.h"
#include "tessera/library/random/fill.h"

namespace tessera::library {

/// The setup of a binomial distribution, cached between draws.
struct BinomialSetup {
  bool valid = false;
  int64_t n = 0;
  double p = 0;
  double q, r, fm, p1, xm, xl, xr, c, left, right, p2, p3, p4;
  int64_t m;
};

/// The same for a Poisson distribution.
struct PoissonSetup {
  double lam = 0;    // the mean of the cached setup; 0: none
  double limit = 0;  // for means below 10
  double log_lam, a, b, v_r, log_inverse_alpha;
};

/// NumPy's Generator draws normals and exponentials by ziggurat; its RandomState uses the polar method, which gives
/// normals in pairs, and inversion for exponentials. All distributions built on them exist in both variants.
class Sampler {
 public:
  explicit Sampler(BitGenerator& bits, bool legacy = false) : bits(bits), legacy(legacy) {}

  double uniform() { return bits.next_double(); }
  double normal();
  double exponential();
  double gamma(double shape);
  float gamma_float(float shape);
  double chisquare(double df) { return 2.0 * gamma(df / 2.0); }
  double beta(double a, double b);
  int64_t poisson(double lam);
  int64_t binomial(int64_t n, double p);
  int64_t hypergeometric(int64_t good, int64_t bad, int64_t sample);

  BitGenerator& bits;
  const bool legacy;
  /// The second normal of a pair in the legacy generator.
  KeptNormal kept;

 private:
  int64_t binomial_by_inversion(int64_t n, double p);
  int64_t binomial_btpe(int64_t n, double p);

  int64_t poisson_by_products(double limit);

  BinomialSetup setup_;
  PoissonSetup poisson_;
};

/// Whether the current (not the legacy) hypergeometric algorithm draws balls one by one, with 32-bit integers.
bool draws_from_urn(int64_t good, int64_t bad, int64_t sample);

/// log(gamma(x)) and log(k!) with the accuracy that the discrete distributions need.
double log_gamma(double x);
double log_factorial(int64_t k);

}  // namespace tessera::library
