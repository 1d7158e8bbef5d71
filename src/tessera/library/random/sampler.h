/// Sampler: single draws from named distributions, in today's or the legacy algorithms.
#pragma once

#include <cstdint>

#include "tessera/library/random/bit_generator.h"
#include "tessera/library/random/fill.h"

namespace tessera::library {

/// What setting up a binomial costs is kept from draw to draw.
struct BinomialSetup {
  bool valid = false;
  int64_t n = 0;
  double p = 0;
  double q, r, fm, p1, xm, xl, xr, c, left, right, p2, p3, p4;
  int64_t m;
};

/// The same for a Poisson mean.
struct PoissonSetup {
  double lam = 0;    // the mean it is for; none is 0
  double limit = 0;  // below 10
  double log_lam, a, b, v_r, log_inverse_alpha;
};

/// NumPy's Generator draws normals and exponentials by ziggurat; its RandomState by the polar method, which makes them
/// in pairs, and by inversion. Everything built on them exists in both forms.
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
  /// The legacy generator's second normal of a pair.
  KeptNormal kept;

 private:
  int64_t binomial_by_inversion(int64_t n, double p);
  int64_t binomial_btpe(int64_t n, double p);

  int64_t poisson_by_products(double limit);

  BinomialSetup setup_;
  PoissonSetup poisson_;
};

/// Whether today's hypergeometric draws take balls one by one, by integers of 32 bits.
bool draws_from_urn(int64_t good, int64_t bad, int64_t sample);

/// log(gamma(x)) and log(k!) as the discrete distributions need them.
double log_gamma(double x);
double log_factorial(int64_t k);

}  // namespace tessera::library
