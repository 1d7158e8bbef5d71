#include <algorithm>
#include <cmath>

#include "tessera/library/host/rows.h"
#include "tessera/library/host/search.h"

namespace tessera::library {

namespace {

/// The last k with xp[k] <= x (-1 for none). The previous result is tried first, because x is often sorted.
int64_t find_interval(const double* xp, int64_t points, double x, int64_t guess) {
  if (x >= xp[points - 1]) return points - 1;
  if (x < xp[0]) return -1;
  if (guess + 1 < points && xp[guess] <= x) {
    if (x < xp[guess + 1]) return guess;
    if (guess + 2 < points && x < xp[guess + 2]) return guess + 1;
  }
  int64_t low = 0;
  for (int64_t length = points; length > 1; length -= length / 2) low += xp[low + length / 2] <= x ? length / 2 : 0;
  return low;
}

/// Interpolates one part (real or imaginary) between the points k and k + 1. If the result is NaN, it is computed from
/// the other end; if that is NaN, too, equal ends give their value.
double along(double x, double x0, double x1, double y0, double y1) {
  double slope = (y1 - y0) / (x1 - x0);
  double y = slope * (x - x0) + y0;
  if (std::isnan(y)) {
    y = slope * (x - x1) + y1;
    if (std::isnan(y) && y0 == y1) y = y0;
  }
  return y;
}

}  // namespace

void interpolate(const double* x, int64_t n, const double* xp, const double* fp, int64_t points, const double* left,
                 const double* right, bool complex_values, double* out) {
  int parts = complex_values ? 2 : 1;
  auto piece = [&](int64_t begin, int64_t end) {
    int64_t guess = 0;
    for (int64_t k = begin; k < end; ++k) {
      double at = x[k];
      double* to = out + k * parts;
      if (std::isnan(at)) {
        std::fill(to, to + parts, at);
        if (complex_values) to[1] = 0;
        continue;
      }
      int64_t j = find_interval(xp, points, at, guess);
      guess = std::max<int64_t>(j, 0);
      for (int p = 0; p < parts; ++p) {
        if (j < 0)
          to[p] = left[p];
        else if (j == points - 1)
          to[p] = at > xp[j] ? right[p] : fp[j * parts + p];
        else if (xp[j] == at)
          to[p] = fp[j * parts + p];
        else
          to[p] = along(at, xp[j], xp[j + 1], fp[j * parts + p], fp[(j + 1) * parts + p]);
      }
    }
  };
  runtime::parallel_for(n, 4096, piece);
}

}  // namespace tessera::library
