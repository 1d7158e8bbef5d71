#include "tessera/library/random/multivariate.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "tessera/library/random/bounded.h"

namespace tessera::library {

void draw_multinomial(Sampler& sampler, int64_t n, std::span<const double> probabilities, std::span<int64_t> counts) {
  double remaining = 1.0;
  for (size_t j = 0; j + 1 < counts.size(); ++j) {
    counts[j] = sampler.binomial(n, probabilities[j] / remaining);
    n -= counts[j];
    if (n <= 0) break;
    remaining -= probabilities[j];
  }
  if (n > 0) counts.back() = n;
}

namespace {

/// Stick breaking with beta draws, which avoids 0/0 where every alpha is tiny.
void break_stick(Sampler& sampler, std::span<const double> alpha, std::span<const double> tails,
                 std::span<double> row) {
  double left = 1.0;
  for (size_t j = 0; j + 1 < alpha.size(); ++j) {
    const double part = sampler.beta(alpha[j], tails[j + 1]);
    row[j] = left * part;
    left *= 1.0 - part;
    if (tails[j + 1] == 0) break;
  }
  row.back() = left;
}

}  // namespace

void fill_dirichlet(Sampler& sampler, std::span<const double> alpha, std::span<double> out) {
  const size_t k = alpha.size();
  std::fill(out.begin(), out.end(), 0.0);
  if (k == 0) return;
  const bool tiny = !sampler.legacy && *std::max_element(alpha.begin(), alpha.end()) < 0.1;
  std::vector<double> tails(k);
  double tail = 0;
  for (size_t j = k; j-- > 0;) tails[j] = tail += alpha[j];
  if (tiny && !(tail > 0)) return;
  for (size_t at = 0; at + k <= out.size(); at += k) {
    const std::span<double> row = out.subspan(at, k);
    if (tiny) {
      break_stick(sampler, alpha, tails, row);
      continue;
    }
    double sum = 0;
    for (size_t j = 0; j < k; ++j) sum += row[j] = sampler.gamma(alpha[j]);
    const double inverse = 1.0 / sum;
    for (double& x : row) x *= inverse;
  }
}

namespace {

void pick_balls(Sampler& sampler, std::vector<size_t>& balls, int64_t sample, std::span<int64_t> row) {
  for (size_t j = 0; j < static_cast<size_t>(sample); ++j) {
    const size_t k = j + draw_interval(sampler.bits, balls.size() - j - 1);
    std::swap(balls[j], balls[k]);
    ++row[balls[j]];
  }
}

void pick_by_marginals(Sampler& sampler, std::span<const int64_t> colors, int64_t total, int64_t sample,
                       std::span<int64_t> row) {
  int64_t remaining = total;
  for (size_t j = 0; sample > 0 && j + 1 < colors.size(); ++j) {
    remaining -= colors[j];
    row[j] = sampler.hypergeometric(colors[j], remaining, sample);
    sample -= row[j];
  }
  if (sample > 0) row.back() = sample;
}

}  // namespace

void fill_urn(Sampler& sampler, UrnMethod method, std::span<const int64_t> colors, int64_t sample,
              std::span<int64_t> out) {
  const int64_t total = std::accumulate(colors.begin(), colors.end(), int64_t{0});
  if (total == 0 || sample == 0 || out.empty()) return;
  const bool complement = sample > total / 2;
  if (complement) sample = total - sample;
  std::vector<size_t> balls;
  if (method == UrnMethod::count) {
    for (size_t i = 0; i < colors.size(); ++i) balls.insert(balls.end(), static_cast<size_t>(colors[i]), i);
  }
  for (size_t at = 0; at + colors.size() <= out.size(); at += colors.size()) {
    const std::span<int64_t> row = out.subspan(at, colors.size());
    if (method == UrnMethod::count) {
      pick_balls(sampler, balls, sample, row);
    } else {
      pick_by_marginals(sampler, colors, total, sample, row);
    }
    for (size_t k = 0; complement && k < row.size(); ++k) row[k] = colors[k] - row[k];
  }
}

}  // namespace tessera::library
