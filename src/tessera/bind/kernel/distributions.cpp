#include "tessera/bind/kernel/distributions.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>
#include <utility>

#include "tessera/kernel/options.h"

namespace tessera::bind {

using kernel::Distribution;

namespace {

using NextNumber = std::function<double()>;

constexpr double pi = std::numbers::pi;

/// The logarithm of the gamma function, as NumPy computes it.
double log_gamma(double x) {
  constexpr double factors[] = {8.333333333333333e-02,  -2.777777777777778e-03, 7.936507936507937e-04,
                                -5.952380952380952e-04, 8.417508417508418e-04,  -1.917526917526918e-03,
                                6.410256410256410e-03,  -2.955065359477124e-02, 1.796443723688307e-01,
                                -1.39243221690590e+00};
  constexpr double log_of_two_pi = 1.8378770664093453e+00;
  if (x == 1.0 || x == 2.0) return 0.0;
  const int64_t more = x < 7.0 ? static_cast<int64_t>(7 - x) : 0;
  double at = x + static_cast<double>(more);
  const double square = (1.0 / at) * (1.0 / at);
  double sum = factors[9];
  for (int k = 8; k >= 0; --k) sum = sum * square + factors[k];
  double result = sum / at + 0.5 * log_of_two_pi + (at - 0.5) * std::log(at) - at;
  for (int64_t k = 1; k <= more; ++k) {
    result -= std::log(at - 1.0);
    at -= 1.0;
  }
  return result;
}

double exponential(const NextNumber& next) { return -std::log(1.0 - next()); }

/// Marsaglia and Tsang; for shapes below 1 Ahrens and Dieter.
double gamma(double shape, const NextNumber& next, const NextNumber& normal) {
  if (shape == 1.0) return exponential(next);
  if (shape == 0.0) return 0.0;
  if (shape < 1.0) {
    while (true) {
      const double u = next(), v = exponential(next);
      if (u <= 1.0 - shape) {
        const double x = std::pow(u, 1. / shape);
        if (x <= v) return x;
      } else {
        const double y = -std::log((1 - u) / shape);
        const double x = std::pow(1.0 - shape + shape * y, 1. / shape);
        if (x <= v + y) return x;
      }
    }
  }
  const double b = shape - 1. / 3.;
  const double c = 1. / std::sqrt(9 * b);
  while (true) {
    double x = 0, v = 0;
    do {
      x = normal();
      v = 1.0 + c * x;
    } while (v <= 0.0);
    v = v * v * v;
    const double u = next();
    if (u < 1.0 - 0.0331 * (x * x) * (x * x)) return b * v;
    if (std::log(u) < 0.5 * x * x + b * (1. - v + std::log(v))) return b * v;
  }
}

double chisquare(double df, const NextNumber& next, const NextNumber& normal) {
  return 2.0 * gamma(df / 2.0, next, normal);
}

double beta(double a, double b, const NextNumber& next, const NextNumber& normal) {
  if (a > 1.0 || b > 1.0) {
    const double first = gamma(a, next, normal);
    return first / (first + gamma(b, next, normal));
  }
  while (true) {  // Joehnk
    const double u = next(), v = next();
    const double x = std::pow(u, 1.0 / a), y = std::pow(v, 1.0 / b);
    if (x + y > 1.0) continue;
    if (x + y > 0) return x / (x + y);
    double log_x = std::log(u) / a, log_y = std::log(v) / b;
    const double greater = std::max(log_x, log_y);
    log_x -= greater;
    log_y -= greater;
    return std::exp(log_x - std::log(std::exp(log_x) + std::exp(log_y)));
  }
}

int64_t poisson(double mean, const NextNumber& next) {
  if (mean == 0) return 0;
  if (mean < 10) {
    const double least = std::exp(-mean);
    int64_t count = 0;
    for (double product = next(); product > least; product *= next()) ++count;
    return count;
  }
  // Hoermann's transformed rejection.
  const double root = std::sqrt(mean), logarithm = std::log(mean);
  const double b = 0.931 + 2.53 * root;
  const double a = -0.059 + 0.02483 * b;
  const double inverse = 1.1239 + 1.1328 / (b - 3.4);
  const double limit = 0.9277 - 3.6224 / (b - 2);
  while (true) {
    const double u = next() - 0.5, v = next();
    const double us = 0.5 - std::fabs(u);
    const auto k = static_cast<int64_t>(std::floor((2 * a / us + b) * u + mean + 0.43));
    if (us >= 0.07 && v <= limit) return k;
    if (k < 0 || (us < 0.013 && v > us)) continue;
    const auto count = static_cast<double>(k);
    if (std::log(v) + std::log(inverse) - std::log(a / (us * us) + b) <=
        -mean + count * logarithm - log_gamma(count + 1))
      return k;
  }
}

double noncentral_chisquare(double df, double noncentrality, const NextNumber& next, const NextNumber& normal) {
  if (noncentrality == 0) return chisquare(df, next, normal);
  if (df > 1) {
    const double rest = chisquare(df - 1, next, normal);
    const double n = normal() + std::sqrt(noncentrality);
    return rest + n * n;
  }
  const int64_t i = poisson(noncentrality / 2.0, next);
  const double result = chisquare(df + 2 * static_cast<double>(i), next, normal);
  return std::isnan(noncentrality) ? noncentrality : result;
}

double laplace(double loc, double scale, const NextNumber& next) {
  double u = next();
  while (u == 0.0) u = next();
  return u >= 0.5 ? loc - scale * std::log(2.0 - u - u) : loc + scale * std::log(u + u);
}

double gumbel(double loc, double scale, const NextNumber& next) {
  double u = 1.0 - next();
  while (u >= 1.0) u = 1.0 - next();
  return loc - scale * std::log(-std::log(u));
}

double logistic(double loc, double scale, const NextNumber& next) {
  double u = next();
  while (u <= 0.0) u = next();
  return loc + scale * std::log(u / (1.0 - u));
}

double triangular(double left, double mode, double right, const NextNumber& next) {
  const double base = right - left, left_base = mode - left;
  const double ratio = left_base / base, left_product = left_base * base, right_product = (right - mode) * base;
  const double u = next();
  return u <= ratio ? left + std::sqrt(u * left_product) : right - std::sqrt((1.0 - u) * right_product);
}

/// Best and Fisher.
double vonmises(double mu, double kappa, const NextNumber& next) {
  if (std::isnan(kappa)) return kappa;
  if (kappa < 1e-8) return pi * (2 * next() - 1);
  double s = 1. / kappa + kappa;  // for small ones, of the second order
  if (kappa >= 1e-5) {
    const double r = 1 + std::sqrt(1 + 4 * kappa * kappa);
    const double rho = (r - std::sqrt(2 * r)) / (2 * kappa);
    s = (1 + rho * rho) / (2 * rho);
  }
  double w = 0;
  while (true) {
    const double z = std::cos(pi * next());
    w = (1 + s * z) / (s + z);
    const double y = kappa * (s - w), v = next();
    if (y * (2 - y) - v >= 0 || std::log(y / v) + 1 - y >= 0) break;
  }
  double result = std::acos(w);
  if (next() < 0.5) result = -result;
  result += mu;
  const double inside = std::fmod(std::fabs(result) + pi, 2 * pi) - pi;
  return result < 0 ? -inside : inside;
}

double wald(double mean, double scale, const NextNumber& next, const NextNumber& normal) {
  const double share = mean / (2 * scale);
  double y = normal();
  y = mean * y * y;
  const double x = mean + share * (y - std::sqrt(4 * scale * y + y * y));
  return next() <= mean / (mean + x) ? x : mean * mean / x;
}

int64_t few_binomial(int64_t n, double p, const NextNumber& next) {
  const double q = 1.0 - p, count = static_cast<double>(n);
  const double none = std::exp(count * std::log(q)), mean = count * p;
  const auto bound = static_cast<int64_t>(std::min(count, mean + 10.0 * std::sqrt(mean * q + 1)));
  int64_t x = 0;
  double left = next();
  for (double share = none; left > share;) {
    ++x;
    if (x > bound) {
      x = 0;
      share = none;
      left = next();
    } else {
      left -= share;
      share = (static_cast<double>(n - x + 1) * p * share) / (static_cast<double>(x) * q);
    }
  }
  return x;
}

/// Kachitvichyanukul and Schmeiser's algorithm BTPE, for p of at most a half.
class ManyBinomial {
 public:
  ManyBinomial(int64_t n, double p) : n_(n), r_(p), q_(1.0 - p) {
    const auto count = static_cast<double>(n);
    const double fm = count * r_ + r_;
    m_ = static_cast<int64_t>(std::floor(fm));
    p1_ = std::floor(2.195 * std::sqrt(count * r_ * q_) - 4.6 * q_) + 0.5;
    xm_ = static_cast<double>(m_) + 0.5;
    xl_ = xm_ - p1_;
    xr_ = xm_ + p1_;
    c_ = 0.134 + 20.5 / (15.3 + static_cast<double>(m_));
    double a = (fm - xl_) / (fm - xl_ * r_);
    left_ = a * (1.0 + a / 2.0);
    a = (xr_ - fm) / (xr_ * q_);
    right_ = a * (1.0 + a / 2.0);
    p2_ = p1_ * (1.0 + 2.0 * c_);
    p3_ = p2_ + c_ / left_;
    p4_ = p3_ + c_ / right_;
  }

  int64_t draw(const NextNumber& next) const {
    while (true) {
      const double u = next() * p4_;
      double v = next();
      if (u <= p1_) return static_cast<int64_t>(std::floor(xm_ - p1_ * v + u));
      int64_t y = 0;
      if (u <= p2_) {
        const double x = xl_ + (u - p1_) / c_;
        v = v * c_ + 1.0 - std::fabs(static_cast<double>(m_) - x + 0.5) / p1_;
        if (v > 1.0) continue;
        y = static_cast<int64_t>(std::floor(x));
      } else if (u <= p3_) {
        y = static_cast<int64_t>(std::floor(xl_ + std::log(v) / left_));
        if (y < 0 || v == 0.0) continue;
        v = v * (u - p2_) * left_;
      } else {
        y = static_cast<int64_t>(std::floor(xr_ - std::log(v) / right_));
        if (y > n_ || v == 0.0) continue;
        v = v * (u - p3_) * right_;
      }
      if (takes(y, v)) return y;
    }
  }

 private:
  bool takes(int64_t y, double v) const {
    const double variance = static_cast<double>(n_) * r_ * q_;
    const int64_t k = std::abs(y - m_);
    const auto away = static_cast<double>(k);
    if (k <= 20 || away >= variance / 2.0 - 1) {
      const double s = r_ / q_, a = s * static_cast<double>(n_ + 1);
      double f = 1.0;
      for (int64_t i = m_ + 1; i <= y; ++i) f *= a / static_cast<double>(i) - s;
      for (int64_t i = y + 1; i <= m_; ++i) f /= a / static_cast<double>(i) - s;
      return v <= f;
    }
    const double rho = (away / variance) * ((away * (away / 3.0 + 0.625) + 0.16666666666666666) / variance + 0.5);
    const double t = -away * away / (2 * variance), a = std::log(v);
    if (a < t - rho) return true;
    if (a > t + rho) return false;
    const auto x1 = static_cast<double>(y + 1), f1 = static_cast<double>(m_ + 1);
    const auto z = static_cast<double>(n_ + 1 - m_), w = static_cast<double>(n_ - y + 1);
    const auto series = [](double x) {
      const double x2 = x * x;
      return (13680. - (462. - (132. - (99. - 140. / x2) / x2) / x2) / x2) / x / 166320.;
    };
    return a <= xm_ * std::log(f1 / x1) + (static_cast<double>(n_ - m_) + 0.5) * std::log(z / w) +
                    static_cast<double>(y - m_) * std::log(w * r_ / (x1 * q_)) + series(f1) + series(z) + series(x1) +
                    series(w);
  }

  int64_t n_, m_ = 0;
  double r_, q_, p1_, xm_, xl_, xr_, c_, left_, right_, p2_, p3_, p4_;
};

int64_t binomial(int64_t n, double p, const NextNumber& next) {
  if (p > 0.5) return n - binomial(n, 1.0 - p, next);
  return p * static_cast<double>(n) <= 30.0 ? few_binomial(n, p, next) : ManyBinomial(n, p).draw(next);
}

int64_t geometric(double p, const NextNumber& next) {
  if (p < 0.333333333333333333333333) return static_cast<int64_t>(std::ceil(std::log1p(-next()) / std::log(1.0 - p)));
  int64_t x = 1;
  double sum = p, product = p;
  for (const double u = next(); u > sum; ++x) {
    product *= 1.0 - p;
    sum += product;
  }
  return x;
}

/// Stadlober's HRUA*, with Frohne's corrections.
int64_t many_hypergeometric(int64_t good, int64_t bad, int64_t sample, const NextNumber& next) {
  constexpr double d1 = 1.7155277699214135, d2 = 0.8989161620588988;
  const auto least = static_cast<double>(std::min(good, bad)), most = static_cast<double>(std::max(good, bad));
  const int64_t all = good + bad, fewer = std::min(sample, all - sample);
  const auto size = static_cast<double>(all), m = static_cast<double>(fewer);
  const double share = least / size;
  const double d6 = m * share + 0.5;
  const double d7 = std::sqrt((size - m) * static_cast<double>(sample) * share * (1.0 - share) / (size - 1) + 0.5);
  const double d8 = d1 * d7 + d2;
  const double mode = std::floor((m + 1) * (least + 1) / (size + 2));
  const auto logs = [&](double z) {
    return log_gamma(z + 1) + log_gamma(least - z + 1) + log_gamma(m - z + 1) + log_gamma(most - m + z + 1);
  };
  const double d10 = logs(mode), d11 = std::min(std::min(m, least) + 1.0, std::floor(d6 + 16 * d7));
  int64_t z = 0;
  while (true) {
    const double x = next(), y = next();
    const double w = d6 + d8 * (y - 0.5) / x;
    if (w < 0.0 || w >= d11) continue;
    z = static_cast<int64_t>(std::floor(w));
    const double t = d10 - logs(static_cast<double>(z));
    if (x * (4.0 - x) - 3.0 <= t) break;
    if (x * (x - t) >= 1) continue;
    if (2.0 * std::log(x) <= t) break;
  }
  if (good > bad) z = fewer - z;
  return fewer < sample ? good - z : z;
}

int64_t hypergeometric(int64_t good, int64_t bad, int64_t sample, const NextNumber& next) {
  if (sample > 10) return many_hypergeometric(good, bad, sample, next);
  if (sample <= 0) return 0;
  const auto rest = static_cast<double>(bad + good - sample), least = static_cast<double>(std::min(bad, good));
  double y = least;
  for (int64_t k = sample; y > 0.0 && k > 0; --k) y -= std::floor(next() + y / (rest + static_cast<double>(k)));
  const auto z = static_cast<int64_t>(least - y);
  return good > bad ? sample - z : z;
}

int64_t logseries(double p, const NextNumber& next) {
  const double r = std::log1p(-p);
  while (true) {
    const double v = next();
    if (v >= p) return 1;
    const double q = -std::expm1(r * next());
    if (v <= q * q) {
      const auto result = static_cast<int64_t>(std::floor(1 + std::log(v) / std::log(q)));
      if (result < 1 || v == 0.0) continue;
      return result;
    }
    return v >= q ? 1 : 2;
  }
}

int64_t zipf(double a, const NextNumber& next) {
  const double am1 = a - 1.0;
  const double b = std::pow(2.0, am1);
  while (true) {
    const double u = 1.0 - next(), v = next();
    const double x = std::floor(std::pow(u, -1.0 / am1));
    if (x > static_cast<double>(INT64_MAX) || x < 1.0) continue;
    const double t = std::pow(1.0 + 1.0 / x, am1);
    if (v * x * (t - 1.0) / (b - 1.0) <= t / b) return static_cast<int64_t>(x);
  }
}

}  // namespace

int64_t draw_distribution(const int64_t* operands, const NextNumber& next, const NextNumber& normal) {
  const auto a = std::bit_cast<double>(operands[1]), b = std::bit_cast<double>(operands[2]),
             c = std::bit_cast<double>(operands[3]);
  const auto whole = [](double x) { return static_cast<int64_t>(x); };
  const auto bits = [](double x) { return std::bit_cast<int64_t>(x); };
  switch (static_cast<Distribution>(operands[0])) {
    case Distribution::standard_gamma: return bits(gamma(a, next, normal));
    case Distribution::beta: return bits(beta(a, b, next, normal));
    case Distribution::chisquare: return bits(chisquare(a, next, normal));
    case Distribution::noncentral_chisquare: return bits(noncentral_chisquare(a, b, next, normal));
    case Distribution::f: {
      const double above = chisquare(a, next, normal) * b;
      return bits(above / (chisquare(b, next, normal) * a));
    }
    case Distribution::gumbel: return bits(gumbel(a, b, next));
    case Distribution::laplace: return bits(laplace(a, b, next));
    case Distribution::logistic: return bits(logistic(a, b, next));
    case Distribution::lognormal: return bits(std::exp(a + b * normal()));
    case Distribution::pareto: return bits(std::exp(exponential(next) / a) - 1);
    case Distribution::power: return bits(std::pow(1 - std::exp(-exponential(next)), 1. / a));
    case Distribution::rayleigh: return bits(a * std::sqrt(-2.0 * std::log1p(-next())));
    case Distribution::standard_cauchy: {
      const double above = normal();
      return bits(above / normal());
    }
    case Distribution::standard_t: {
      const double above = normal();
      return bits(std::sqrt(a / 2) * above / std::sqrt(gamma(a / 2, next, normal)));
    }
    case Distribution::triangular: return bits(triangular(a, b, c, next));
    case Distribution::vonmises: return bits(vonmises(a, b, next));
    case Distribution::wald: return bits(wald(a, b, next, normal));
    case Distribution::weibull: return bits(a == 0.0 ? 0.0 : std::pow(exponential(next), 1. / a));
    case Distribution::binomial: return binomial(whole(a), b, next);
    case Distribution::geometric: return geometric(a, next);
    case Distribution::hypergeometric: return hypergeometric(whole(a), whole(b), whole(c), next);
    case Distribution::logseries: return logseries(a, next);
    case Distribution::negative_binomial: return poisson(((1 - b) / b) * gamma(a, next, normal), next);
    case Distribution::poisson: return poisson(a, next);
    case Distribution::zipf: return zipf(a, next);
  }
  std::unreachable();
}

}  // namespace tessera::bind
