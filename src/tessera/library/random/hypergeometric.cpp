#include <algorithm>
#include <cmath>

#include "tessera/library/random/bounded.h"
#include "tessera/library/random/sampler.h"

namespace tessera::library {

namespace {

constexpr double d1 = 1.7155277699214135;  // 2 sqrt(2 / e)
constexpr double d2 = 0.8989161620588988;  // 3 - 2 sqrt(3 / e)

/// Draws balls from the urn one by one.
int64_t by_urn(BitGenerator& bits, int64_t good, int64_t bad, int64_t sample) {
  const int64_t total = good + bad;
  const bool complement = sample > total / 2;
  int64_t left_to_draw = complement ? total - sample : sample;
  int64_t remaining = total, remaining_good = good;
  for (; left_to_draw > 0 && remaining_good > 0 && remaining > remaining_good; --left_to_draw) {
    --remaining;
    if (static_cast<int64_t>(draw_interval(bits, static_cast<uint64_t>(remaining))) < remaining_good) --remaining_good;
  }
  if (remaining == remaining_good) remaining_good -= left_to_draw;
  return complement ? remaining_good : good - remaining_good;
}

/// Stadlober's ratio of uniforms.
template <class LogFactorial>
int64_t by_ratio(Sampler& s, int64_t good, int64_t bad, int64_t sample, LogFactorial&& log_f) {
  const int64_t population = good + bad;
  const int64_t drawn = std::min(sample, population - sample);
  const int64_t fewer = std::min(good, bad), more = std::max(good, bad);
  const auto real = [](int64_t x) { return static_cast<double>(x); };
  const double p = real(fewer) / real(population);
  const double q = s.legacy ? 1.0 - p : real(more) / real(population);
  const double a = real(drawn) * p + 0.5;
  const double variance = s.legacy ? real(population - drawn) * real(sample) * p * q / real(population - 1)
                                   : real(population - drawn) * real(drawn) * p * q / real(population - 1);
  const double c = std::sqrt(variance + 0.5);
  const double h = d1 * c + d2;
  const auto mode = static_cast<int64_t>(std::floor(real(drawn + 1) * real(fewer + 1) / real(population + 2)));
  const auto terms = [&](int64_t k) {
    return log_f(k) + log_f(fewer - k) + log_f(drawn - k) + log_f(more - drawn + k);
  };
  const double g = terms(mode);
  const double bound = std::min(real(std::min(drawn, fewer)) + 1, std::floor(a + 16 * c));
  int64_t k;
  for (;;) {
    const double u = s.uniform(), v = s.uniform();
    const double x = a + h * (v - 0.5) / u;
    if (x < 0.0 || x >= bound) continue;
    k = static_cast<int64_t>(std::floor(x));
    const double t = g - terms(k);
    if (u * (4.0 - u) - 3.0 <= t) break;
    if (u * (u - t) >= 1) continue;
    if (2.0 * std::log(u) <= t) break;
  }
  if (good > bad) k = drawn - k;
  if (drawn < sample) k = good - k;
  return k;
}

/// The legacy generator's algorithm for small samples.
int64_t by_walk(Sampler& s, int64_t good, int64_t bad, int64_t sample) {
  const int64_t rest = bad + good - sample;
  const auto fewer = static_cast<double>(std::min(bad, good));
  double y = fewer;
  int64_t k = sample;
  while (y > 0.0) {
    const double u = s.uniform();
    y -= std::floor(u + y / static_cast<double>(rest + k));
    if (--k == 0) break;
  }
  const auto z = static_cast<int64_t>(fewer - y);
  return good > bad ? sample - z : z;
}

}  // namespace

bool draws_from_urn(int64_t good, int64_t bad, int64_t sample) { return sample < 10 || sample > good + bad - 10; }

int64_t Sampler::hypergeometric(int64_t good, int64_t bad, int64_t sample) {
  if (legacy) {
    if (sample > 10)
      return by_ratio(*this, good, bad, sample, [](int64_t k) { return log_gamma(static_cast<double>(k + 1)); });
    return sample > 0 ? by_walk(*this, good, bad, sample) : 0;
  }
  if (draws_from_urn(good, bad, sample)) return by_urn(bits, good, bad, sample);
  return by_ratio(*this, good, bad, sample, log_factorial);
}

}  // namespace tessera::library
