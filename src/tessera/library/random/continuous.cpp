#include <cmath>
#include <numbers>

#include "tessera/library/random/distributions.h"

namespace tessera::library {

namespace {

constexpr double pi = std::numbers::pi;

double laplace(Sampler& s, double loc, double scale) {
  for (;;) {
    const double u = s.uniform();
    if (u >= 0.5) return loc - scale * std::log(2.0 - u - u);
    if (u > 0.0) return loc + scale * std::log(u + u);
  }
}

double gumbel(Sampler& s, double loc, double scale) {
  for (;;) {
    const double u = 1.0 - s.uniform();
    if (u < 1.0) return loc - scale * std::log(-std::log(u));
  }
}

double logistic(Sampler& s, double loc, double scale) {
  for (;;) {
    const double u = s.uniform();
    if (u > 0.0) return loc + scale * std::log(u / (1.0 - u));
  }
}

double standard_t(Sampler& s, double df) {
  const double numerator = s.normal();
  const double denominator = s.gamma(df / 2);
  return std::sqrt(df / 2) * numerator / std::sqrt(denominator);
}

double noncentral_chisquare(Sampler& s, double df, double nonc) {
  if (!s.legacy && std::isnan(nonc)) return nonc;
  if (nonc == 0) return s.chisquare(df);
  if (1 < df) {
    const double central = s.chisquare(df - 1);
    const double shifted = s.normal() + std::sqrt(nonc);
    return central + shifted * shifted;
  }
  const int64_t extra = s.poisson(nonc / 2.0);
  const double result = s.chisquare(df + static_cast<double>(2 * extra));
  return std::isnan(nonc) ? nonc : result;
}

double f_ratio(Sampler& s, double dfnum, double dfden) {
  const double numerator = s.chisquare(dfnum) * dfden;
  const double denominator = s.chisquare(dfden) * dfnum;
  return numerator / denominator;
}

double noncentral_f(Sampler& s, double dfnum, double dfden, double nonc) {
  const double numerator = noncentral_chisquare(s, dfnum, nonc) * dfden;
  return numerator / (s.chisquare(dfden) * dfnum);
}

double wald(Sampler& s, double mean, double scale) {
  double y = s.normal();
  y = mean * y * y;
  double x;
  if (s.legacy) {
    const double half = mean / (2 * scale);
    x = mean + half * (y - std::sqrt(4 * scale * y + y * y));
  } else {
    const double d = 1 + std::sqrt(1 + 4 * scale / y);
    x = mean * (1 - 2 / d);
  }
  const double u = s.uniform();
  return u <= mean / (mean + x) ? x : mean * mean / x;
}

/// Best and Fisher's rejection from a wrapped Cauchy envelope; its parameter s is computed by a series for small kappa.
double vonmises(Sampler& s, double mu, double kappa) {
  if (std::isnan(kappa)) return kappa;
  if (kappa < 1e-8) return pi * (2 * s.uniform() - 1);
  double envelope;
  if (kappa < 1e-5) {
    envelope = 1. / kappa + kappa;
  } else if (s.legacy || kappa <= 1e6) {
    const double r = 1 + std::sqrt(1 + 4 * kappa * kappa);
    const double rho = (r - std::sqrt(2 * r)) / (2 * kappa);
    envelope = (1 + rho * rho) / (2 * rho);
  } else {  // so narrow that the wrapped normal is indistinguishable
    double result = mu + std::sqrt(1. / kappa) * s.normal();
    if (result < -pi) result += 2 * pi;
    if (result > pi) result -= 2 * pi;
    return result;
  }
  double w;
  for (;;) {
    const double z = std::cos(pi * s.uniform());
    w = (1 + envelope * z) / (envelope + z);
    const double y = kappa * (envelope - w);
    const double v = s.uniform();
    if (y * (2 - y) - v >= 0 || std::log(y / v) + 1 - y >= 0) break;
  }
  const double u = s.uniform();
  double result = std::acos(w);
  if (u < 0.5) result = -result;
  result += mu;
  const double wrapped = std::fmod(std::fabs(result) + pi, 2 * pi) - pi;
  return result < 0 ? -wrapped : wrapped;
}

double triangular(Sampler& s, double left, double mode, double right) {
  const double base = right - left, left_base = mode - left;
  const double ratio = left_base / base;
  const double left_product = left_base * base, right_product = (right - mode) * base;
  const double u = s.uniform();
  return u <= ratio ? left + std::sqrt(u * left_product) : right - std::sqrt((1.0 - u) * right_product);
}

constexpr Parameter a_positive[] = {{"a", Constraint::positive}};
constexpr Parameter a_non_negative[] = {{"a", Constraint::non_negative}};
constexpr Parameter a_b[] = {{"a", Constraint::positive}, {"b", Constraint::positive}};
constexpr Parameter df[] = {{"df", Constraint::positive}};
constexpr Parameter df_nonc[] = {{"df", Constraint::positive}, {"nonc", Constraint::non_negative}};
constexpr Parameter two_df[] = {{"dfnum", Constraint::positive}, {"dfden", Constraint::positive}};
constexpr Parameter two_df_nonc[] = {
    {"dfnum", Constraint::positive}, {"dfden", Constraint::positive}, {"nonc", Constraint::non_negative}};
constexpr Parameter loc_scale[] = {{"loc"}, {"scale", Constraint::non_negative}};
constexpr Parameter mean_sigma[] = {{"mean"}, {"sigma", Constraint::non_negative}};
constexpr Parameter mean_scale[] = {{"mean", Constraint::positive}, {"scale", Constraint::positive}};
constexpr Parameter mu_kappa[] = {{"mu"}, {"kappa", Constraint::non_negative}};
constexpr Parameter scale[] = {{"scale", Constraint::non_negative}};
constexpr Parameter shape[] = {{"shape", Constraint::non_negative}};
constexpr Parameter shape_scale[] = {{"shape", Constraint::non_negative}, {"scale", Constraint::non_negative}};
constexpr Parameter low_range[] = {{"low"}, {"high - low", Constraint::non_negative}};
constexpr Parameter low_any_range[] = {{"low"}, {"range"}};
constexpr Parameter three_plain[] = {{"left"}, {"mode"}, {"right"}};

using V = const Value*;
const Distribution continuous_rows[] = {
    {"uniform", low_range, [](Sampler& s, V v) { return v[0].real + v[1].real * s.uniform(); }},
    {"normal", loc_scale, [](Sampler& s, V v) { return v[0].real + v[1].real * s.normal(); }},
    {"exponential", scale, [](Sampler& s, V v) { return v[0].real * s.exponential(); }},
    {"standard_gamma", shape, [](Sampler& s, V v) { return s.gamma(v[0].real); }},
    {"gamma", shape_scale, [](Sampler& s, V v) { return v[1].real * s.gamma(v[0].real); }},
    {"beta", a_b, [](Sampler& s, V v) { return s.beta(v[0].real, v[1].real); }},
    {"chisquare", df, [](Sampler& s, V v) { return s.chisquare(v[0].real); }},
    {"noncentral_chisquare", df_nonc, [](Sampler& s, V v) { return noncentral_chisquare(s, v[0].real, v[1].real); }},
    {"f", two_df, [](Sampler& s, V v) { return f_ratio(s, v[0].real, v[1].real); }},
    {"noncentral_f", two_df_nonc, [](Sampler& s, V v) { return noncentral_f(s, v[0].real, v[1].real, v[2].real); }},
    {"standard_cauchy",
     {},
     [](Sampler& s, V) {
       const double numerator = s.normal();
       return numerator / s.normal();
     }},
    {"standard_t", df, [](Sampler& s, V v) { return standard_t(s, v[0].real); }},
    {"vonmises", mu_kappa, [](Sampler& s, V v) { return vonmises(s, v[0].real, v[1].real); }},
    {"pareto", a_positive, [](Sampler& s, V v) { return std::expm1(s.exponential() / v[0].real); }},
    {"weibull", a_non_negative,
     [](Sampler& s, V v) { return v[0].real == 0.0 ? 0.0 : std::pow(s.exponential(), 1. / v[0].real); }},
    {"power", a_positive, [](Sampler& s, V v) { return std::pow(-std::expm1(-s.exponential()), 1. / v[0].real); }},
    {"laplace", loc_scale, [](Sampler& s, V v) { return laplace(s, v[0].real, v[1].real); }},
    {"gumbel", loc_scale, [](Sampler& s, V v) { return gumbel(s, v[0].real, v[1].real); }},
    {"logistic", loc_scale, [](Sampler& s, V v) { return logistic(s, v[0].real, v[1].real); }},
    {"lognormal", mean_sigma, [](Sampler& s, V v) { return std::exp(v[0].real + v[1].real * s.normal()); }},
    {"rayleigh", scale, [](Sampler& s, V v) { return v[0].real * std::sqrt(2.0 * s.exponential()); }},
    {"wald", mean_scale, [](Sampler& s, V v) { return wald(s, v[0].real, v[1].real); }},
    {"triangular", three_plain, [](Sampler& s, V v) { return triangular(s, v[0].real, v[1].real, v[2].real); }},
};

const Distribution legacy_continuous_rows[] = {
    {"uniform", low_any_range, [](Sampler& s, V v) { return v[0].real + v[1].real * s.uniform(); }},
    {"pareto", a_positive, [](Sampler& s, V v) { return std::exp(s.exponential() / v[0].real) - 1; }},
    {"power", a_positive, [](Sampler& s, V v) { return std::pow(1 - std::exp(-s.exponential()), 1. / v[0].real); }},
    {"rayleigh", scale, [](Sampler& s, V v) { return v[0].real * std::sqrt(-2.0 * std::log1p(-s.uniform())); }},
};

}  // namespace

std::span<const Distribution> continuous_distributions() { return continuous_rows; }
std::span<const Distribution> legacy_continuous_distributions() { return legacy_continuous_rows; }

}  // namespace tessera::library
