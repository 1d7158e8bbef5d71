#include "tessera/library/random/sampler.h"

#include <cmath>

#include "tessera/library/random/polar.h"
#include "tessera/library/random/ziggurat.h"

namespace tessera::library {

double Sampler::normal() {
  if (!legacy) return ziggurat_normal(bits, ZigguratTables::instance().normal);
  return polar_normal(bits, kept);
}

double Sampler::exponential() {
  if (!legacy) return ziggurat_exponential(bits, ZigguratTables::instance().exponential);
  return -std::log(1.0 - uniform());
}

namespace {

/// Marsaglia and Tsang's squeeze above shape 1, Ahrens and Dieter's mixture below; in Real's precision throughout.
template <class Real, class Uniform, class Normal, class Exponential>
Real draw_gamma(Real shape, Uniform&& uniform, Normal&& normal, Exponential&& exponential) {
  if (shape == Real(1)) return exponential();
  if (shape == Real(0)) return 0;
  if (shape < Real(1)) {
    for (;;) {
      const Real u = uniform();
      const Real v = exponential();
      if (u <= Real(1) - shape) {
        const Real x = std::pow(u, Real(1) / shape);
        if (x <= v) return x;
      } else {
        const Real y = -std::log((Real(1) - u) / shape);
        const Real x = std::pow(Real(1) - shape + shape * y, Real(1) / shape);
        if (x <= v + y) return x;
      }
    }
  }
  const Real b = shape - Real(1) / Real(3);
  const Real c = Real(1) / std::sqrt(Real(9) * b);
  for (;;) {
    Real x, v;
    do {
      x = normal();
      v = Real(1) + c * x;
    } while (v <= Real(0));
    v = v * v * v;
    const Real u = uniform();
    if (u < Real(1) - static_cast<Real>(sizeof(Real) == 4 ? 0.0331f : 0.0331) * (x * x) * (x * x)) return b * v;
    if (std::log(u) < Real(0.5) * x * x + b * (Real(1) - v + std::log(v))) return b * v;
  }
}

}  // namespace

double Sampler::gamma(double shape) {
  return draw_gamma<double>(
      shape, [this] { return uniform(); }, [this] { return normal(); }, [this] { return exponential(); });
}

float Sampler::gamma_float(float shape) {
  const ZigguratTables& tables = ZigguratTables::instance();
  return draw_gamma<float>(
      shape, [this] { return BitGenerator::to_float(bits.next32()); },
      [&] { return ziggurat_normal(bits, tables.normal_float); },
      [&] { return ziggurat_exponential(bits, tables.exponential_float); });
}

// Johnk's method if both parameters are at most 1, else a ratio of gammas.
double Sampler::beta(double a, double b) {
  if (a > 1.0 || b > 1.0 || std::isnan(a) || std::isnan(b)) {
    const double x = gamma(a), y = gamma(b);
    return x / (x + y);
  }
  constexpr double tiny = 3e-103;  // below this, draws other than 0 and 1 have negligible probability
  if (!legacy && a < tiny && b < tiny) return (a + b) * uniform() < a;
  for (;;) {
    const double u = uniform(), v = uniform();
    const double x = std::pow(u, 1.0 / a), y = std::pow(v, 1.0 / b), sum = x + y;
    if (!(sum <= 1.0)) continue;
    if (legacy) {
      if (sum > 0) return x / sum;
      double log_x = std::log(u) / a, log_y = std::log(v) / b;
      const double larger = log_x > log_y ? log_x : log_y;
      log_x -= larger;
      log_y -= larger;
      return std::exp(log_x - std::log(std::exp(log_x) + std::exp(log_y)));
    }
    if (u + v == 0) continue;
    if (x > 0 && y > 0) return x / sum;
    const double delta = std::log(u) / a - std::log(v) / b;
    return delta > 0 ? std::exp(-std::log1p(std::exp(-delta))) : std::exp(delta - std::log1p(std::exp(delta)));
  }
}

}  // namespace tessera::library
