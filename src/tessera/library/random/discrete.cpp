#include <cmath>

#include "tessera/base/error.h"
#include "tessera/library/random/bounded.h"
#include "tessera/library/random/distributions.h"

namespace tessera::library {

double log_gamma(double x) {
  static constexpr double series[] = {8.333333333333333e-02,  -2.777777777777778e-03, 7.936507936507937e-04,
                                      -5.952380952380952e-04, 8.417508417508418e-04,  -1.917526917526918e-03,
                                      6.410256410256410e-03,  -2.955065359477124e-02, 1.796443723688307e-01,
                                      -1.39243221690590e+00};
  if (x == 1.0 || x == 2.0) return 0.0;
  const int64_t steps = x < 7.0 ? static_cast<int64_t>(7 - x) : 0;
  double shifted = x + static_cast<double>(steps);
  const double inverse_square = (1.0 / shifted) * (1.0 / shifted);
  double sum = series[9];
  for (int k = 8; k >= 0; --k) sum = sum * inverse_square + series[k];
  constexpr double log_two_pi = 1.8378770664093453e+00;
  double result = sum / shifted + 0.5 * log_two_pi + (shifted - 0.5) * std::log(shifted) - shifted;
  for (int64_t k = 1; x < 7.0 && k <= steps; ++k) {
    result -= std::log(shifted - 1.0);
    shifted -= 1.0;
  }
  return result;
}

double log_factorial(int64_t k) {
  // Correctly rounded sums of logarithms below 126, Stirling's series from there on.
  static const auto table = [] {
    std::array<double, 126> values{};
    long double sum = 0;
    for (size_t i = 2; i < values.size(); ++i) {
      sum += std::log(static_cast<long double>(i));
      values[i] = static_cast<double>(sum);
    }
    return values;
  }();
  if (k < static_cast<int64_t>(table.size())) return table[static_cast<size_t>(k)];
  const auto x = static_cast<double>(k);
  constexpr double half_log_two_pi = 0.9189385332046728;
  return (x + 0.5) * std::log(x) - x + (half_log_two_pi + (1.0 / x) * (1 / 12.0 - 1 / (360.0 * x * x)));
}

namespace {

PoissonSetup make_poisson(double lam) {
  PoissonSetup s{.lam = lam};
  if (!(lam >= 10)) {
    s.limit = std::exp(-lam);
    return s;
  }
  s.log_lam = std::log(lam);
  s.b = 0.931 + 2.53 * std::sqrt(lam);
  s.a = -0.059 + 0.02483 * s.b;
  s.log_inverse_alpha = std::log(1.1239 + 1.1328 / (s.b - 3.4));
  s.v_r = 0.9277 - 3.6224 / (s.b - 2);
  return s;
}

}  // namespace

int64_t Sampler::poisson_by_products(double limit) {
  int64_t count = 0;
  for (double product = uniform(); product > limit; product *= uniform()) ++count;
  return count;
}

// Hoermann's transformed rejection for means from 10 on, products of uniforms below.
int64_t Sampler::poisson(double lam) {
  if (lam == 0) return 0;
  if (poisson_.lam != lam) poisson_ = make_poisson(lam);
  if (!(lam >= 10)) return poisson_by_products(poisson_.limit);
  const PoissonSetup& s = poisson_;
  for (;;) {
    const double u = uniform() - 0.5;
    const double v = uniform();
    const double us = 0.5 - std::fabs(u);
    const auto k = static_cast<int64_t>(std::floor((2 * s.a / us + s.b) * u + lam + 0.43));
    if (us >= 0.07 && v <= s.v_r) return k;
    if (k < 0 || (us < 0.013 && v > us)) continue;
    const double at = static_cast<double>(k);
    if (std::log(v) + s.log_inverse_alpha - std::log(s.a / (us * us) + s.b) <=
        -lam + at * s.log_lam - log_gamma(at + 1)) {
      return k;
    }
  }
}

namespace {

int64_t geometric(Sampler& s, double p) {
  if (p >= 0.333333333333333333333333) {  // search upwards through the distribution
    int64_t x = 1;
    double sum = p, mass = p;
    const double q = 1.0 - p, u = s.uniform();
    while (u > sum) {
      mass *= q;
      sum += mass;
      ++x;
    }
    return x;
  }
  if (s.legacy) return static_cast<int64_t>(std::ceil(std::log1p(-s.uniform()) / std::log(1 - p)));
  const double z = std::ceil(-s.exponential() / std::log1p(-p));
  return z >= 9.223372036854776e+18 ? INT64_MAX : static_cast<int64_t>(z);
}

int64_t zipf(Sampler& s, double a) {
  if (!s.legacy && a >= 1025) return 1;  // 2^(a-1) overflows; larger values have negligible probability
  const double exponent = a - 1.0;
  const double b = std::pow(2.0, exponent);
  constexpr double largest = static_cast<double>(INT64_MAX);
  const double u_min = s.legacy ? 0 : std::pow(largest, -exponent);
  for (;;) {
    double u = s.uniform();
    u = s.legacy ? 1.0 - u : u * u_min + (1 - u);
    const double v = s.uniform();
    const double x = std::floor(std::pow(u, -1.0 / exponent));
    if (x > largest || x < 1.0) continue;
    const double t = std::pow(1.0 + 1.0 / x, exponent);
    if (v * x * (t - 1.0) / (b - 1.0) <= t / b) return static_cast<int64_t>(x);
  }
}

int64_t logseries(Sampler& s, double p) {
  const double r = s.legacy ? std::log(1.0 - p) : std::log1p(-p);
  for (;;) {
    const double v = s.uniform();
    if (v >= p) return 1;
    const double u = s.uniform();
    const double q = s.legacy ? 1.0 - std::exp(r * u) : -std::expm1(r * u);
    if (v <= q * q) {
      const double value = std::floor(1 + std::log(v) / std::log(q));
      if (v == 0.0 || value < 1) continue;
      return static_cast<int64_t>(value);
    }
    return v >= q ? 1 : 2;
  }
}

int64_t negative_binomial(Sampler& s, double n, double p) {
  const double lam = ((1 - p) / p) * s.gamma(n);
  return s.poisson(lam);
}

constexpr Parameter a_above_one[] = {{"a", Constraint::above_one}};
constexpr Parameter lam[] = {{"lam", Constraint::poisson}};
constexpr Parameter n_p[] = {{"n", Constraint::non_negative, true}, {"p", Constraint::unit_interval}};
constexpr Parameter n_p_real[] = {{"n", Constraint::positive_not_nan}, {"p", Constraint::unit_interval_open_below}};
constexpr Parameter p_open_below[] = {{"p", Constraint::unit_interval_open_below}};
constexpr Parameter p_open_above[] = {{"p", Constraint::unit_interval_open_above}};
constexpr Parameter urn[] = {{"ngood", Constraint::non_negative, true},
                             {"nbad", Constraint::non_negative, true},
                             {"nsample", Constraint::non_negative, true}};

constexpr Parameter legacy_lam[] = {{"lam", Constraint::legacy_poisson}};
constexpr Parameter legacy_urn[] = {{"ngood", Constraint::non_negative, true},
                                    {"nbad", Constraint::non_negative, true},
                                    {"nsample", Constraint::at_least_one, true}};

using V = const Value*;
const Distribution discrete_rows[] = {
    {"poisson", lam, nullptr, [](Sampler& s, V v) { return s.poisson(v[0].real); }},
    {"binomial", n_p, nullptr, [](Sampler& s, V v) { return s.binomial(v[0].integer, v[1].real); }},
    {"negative_binomial", n_p_real, nullptr,
     [](Sampler& s, V v) { return negative_binomial(s, v[0].real, v[1].real); }},
    {"geometric", p_open_below, nullptr, [](Sampler& s, V v) { return geometric(s, v[0].real); }},
    {"zipf", a_above_one, nullptr, [](Sampler& s, V v) { return zipf(s, v[0].real); }},
    {"logseries", p_open_above, nullptr, [](Sampler& s, V v) { return logseries(s, v[0].real); }},
    {"hypergeometric", urn, nullptr,
     [](Sampler& s, V v) { return s.hypergeometric(v[0].integer, v[1].integer, v[2].integer); },
     [](V v) { return draws_from_urn(v[0].integer, v[1].integer, v[2].integer); }},
};

const Distribution legacy_discrete_rows[] = {
    {"poisson", legacy_lam, nullptr, [](Sampler& s, V v) { return s.poisson(v[0].real); }},
    {"hypergeometric", legacy_urn, nullptr,
     [](Sampler& s, V v) { return s.hypergeometric(v[0].integer, v[1].integer, v[2].integer); }},
};

}  // namespace

std::span<const Distribution> discrete_distributions() { return discrete_rows; }
std::span<const Distribution> legacy_discrete_distributions() { return legacy_discrete_rows; }

}  // namespace tessera::library
