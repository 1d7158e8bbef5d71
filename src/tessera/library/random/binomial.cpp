#include <algorithm>
#include <cmath>

#include "tessera/library/random/sampler.h"

namespace tessera::library {

namespace {

bool is_set_up(const BinomialSetup& setup, int64_t n, double p) { return setup.valid && setup.n == n && setup.p == p; }

/// The regions of Kachitvichyanukul and Schmeiser's algorithm: a triangle, two parallelograms, two exponential tails.
BinomialSetup make_btpe(int64_t n, double p) {
  BinomialSetup s;
  s.valid = true;
  s.n = n;
  s.p = p;
  s.r = std::min(p, 1.0 - p);
  s.q = 1.0 - s.r;
  s.fm = static_cast<double>(n) * s.r + s.r;
  s.m = static_cast<int64_t>(std::floor(s.fm));
  const auto m = static_cast<double>(s.m);
  s.p1 = std::floor(2.195 * std::sqrt(static_cast<double>(n) * s.r * s.q) - 4.6 * s.q) + 0.5;
  s.xm = m + 0.5;
  s.xl = s.xm - s.p1;
  s.xr = s.xm + s.p1;
  s.c = 0.134 + 20.5 / (15.3 + m);
  double a = (s.fm - s.xl) / (s.fm - s.xl * s.r);
  s.left = a * (1.0 + a / 2.0);
  a = (s.xr - s.fm) / (s.xr * s.q);
  s.right = a * (1.0 + a / 2.0);
  s.p2 = s.p1 * (1.0 + 2.0 * s.c);
  s.p3 = s.p2 + s.c / s.left;
  s.p4 = s.p3 + s.c / s.right;
  return s;
}

/// The Stirling correction in the last test, for a count x.
double stirling(double x) {
  const double square = x * x;
  return (13680. - (462. - (132. - (99. - 140. / square) / square) / square) / square) / x / 166320.;
}

/// Whether candidate y, drawn with height v, lies below the distribution's mass function.
bool accepts(const BinomialSetup& s, int64_t y, double v) {
  const auto n = static_cast<double>(s.n), m = static_cast<double>(s.m), at = static_cast<double>(y);
  const double variance = n * s.r * s.q;
  const int64_t k = std::abs(y - s.m);
  const auto distance = static_cast<double>(k);
  if (!(k > 20 && distance < variance / 2.0 - 1)) {  // near the mode: the ratio of masses by recurrence
    const double odds = s.r / s.q;
    const double a = odds * (n + 1);
    double ratio = 1.0;
    for (int64_t i = s.m + 1; i <= y; ++i) ratio *= a / static_cast<double>(i) - odds;
    for (int64_t i = y + 1; i <= s.m; ++i) ratio /= a / static_cast<double>(i) - odds;
    return !(v > ratio);
  }
  const double rho =
      (distance / variance) * ((distance * (distance / 3.0 + 0.625) + 0.16666666666666666) / variance + 0.5);
  const double t = static_cast<double>(-k * k) / (2 * variance);
  const double height = std::log(v);
  if (height < t - rho) return true;
  if (height > t + rho) return false;
  const double x1 = at + 1, f1 = m + 1, z = n + 1 - m, w = n - at + 1;
  const double bound = s.xm * std::log(f1 / x1) + (static_cast<double>(s.n - s.m) + 0.5) * std::log(z / w) +
                       static_cast<double>(y - s.m) * std::log(w * s.r / (x1 * s.q)) + stirling(f1) + stirling(z) +
                       stirling(x1) + stirling(w);
  return !(height > bound);
}

}  // namespace

int64_t Sampler::binomial_btpe(int64_t n, double p) {
  if (!is_set_up(setup_, n, p)) setup_ = make_btpe(n, p);
  const BinomialSetup& s = setup_;
  int64_t y;
  for (;;) {
    const double u = uniform() * s.p4;
    double v = uniform();
    if (u <= s.p1) {
      y = static_cast<int64_t>(std::floor(s.xm - s.p1 * v + u));
      break;
    }
    if (u <= s.p2) {
      const double x = s.xl + (u - s.p1) / s.c;
      v = v * s.c + 1.0 - std::fabs(static_cast<double>(s.m) - x + 0.5) / s.p1;
      if (v > 1.0) continue;
      y = static_cast<int64_t>(std::floor(x));
    } else if (u <= s.p3) {
      if (v == 0.0) continue;
      y = static_cast<int64_t>(std::floor(s.xl + std::log(v) / s.left));
      if (y < 0) continue;
      v = v * (u - s.p2) * s.left;
    } else {
      if (v == 0.0) continue;
      y = static_cast<int64_t>(std::floor(s.xr - std::log(v) / s.right));
      if (y > n) continue;
      v = v * (u - s.p3) * s.right;
    }
    if (accepts(s, y, v)) break;
  }
  return p > 0.5 ? n - y : y;
}

int64_t Sampler::binomial_by_inversion(int64_t n, double p) {
  if (!is_set_up(setup_, n, p)) {
    setup_ = {.valid = true, .n = n, .p = p};
    setup_.q = 1.0 - p;
    const auto count = static_cast<double>(n);
    setup_.r = std::exp(count * (legacy ? std::log(setup_.q) : std::log1p(-p)));
    setup_.c = count * p;
    setup_.m = static_cast<int64_t>(std::min(count, setup_.c + 10.0 * std::sqrt(setup_.c * setup_.q + 1)));
  }
  int64_t x = 0;
  double mass = setup_.r;
  double u = uniform();
  while (u > mass) {
    if (++x > setup_.m) {
      x = 0;
      mass = setup_.r;
      u = uniform();
    } else {
      u -= mass;
      mass = (static_cast<double>(n - x + 1) * p * mass) / (static_cast<double>(x) * setup_.q);
    }
  }
  return x;
}

int64_t Sampler::binomial(int64_t n, double p) {
  if (!legacy && (n == 0 || p == 0)) return 0;
  const bool flipped = !(p <= 0.5);
  const double q = flipped ? 1.0 - p : p;
  const int64_t x = q * static_cast<double>(n) <= 30.0 ? binomial_by_inversion(n, q) : binomial_btpe(n, q);
  return flipped ? n - x : x;
}

}  // namespace tessera::library
