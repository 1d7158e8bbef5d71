#include "tessera/routines/frames/group_pairs.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tessera/routines/frames/chunks.h"
#include "tessera/routines/frames/read_elements.h"

namespace tessera::routines::frames {

namespace {

struct CoMoments {
  double count = 0, mean_x = 0, mean_y = 0, squares_x = 0, squares_y = 0, products = 0;

  void add(double x, double y) {
    const double dx = x - mean_x, dy = y - mean_y;
    count += 1;
    mean_x += 1 / count * dx;
    mean_y += 1 / count * dy;
    squares_x += (x - mean_x) * dx;
    squares_y += (y - mean_y) * dy;
    products += (x - mean_x) * dy;
  }
  void join(const CoMoments& later) {
    if (later.count == 0) return;
    const double all = count + later.count, dx = later.mean_x - mean_x, dy = later.mean_y - mean_y;
    const double weight = count * later.count / all;
    squares_x += later.squares_x + dx * dx * weight;
    squares_y += later.squares_y + dy * dy * weight;
    products += later.products + dx * dy * weight;
    mean_x += dx * (later.count / all);
    mean_y += dy * (later.count / all);
    count = all;
  }
};

/// Of a pair, from the sums of products, and of squares of either column.
double result_of(double count, double products, double squares_x, double squares_y, const PairRequest& request) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  if (count < static_cast<double>(request.least_count)) return nan;
  const double divisor =
      request.correlation ? std::sqrt(squares_x * squares_y) : count - static_cast<double>(request.degrees);
  if (divisor == 0 || (!request.correlation && divisor < 0)) return nan;
  const double value = products / divisor;
  return request.correlation && !std::isnan(value) ? std::clamp(value, -1.0, 1.0) : value;
}

}  // namespace

void group_pairs(const PairRequest& request, const PairResults& out) {
  const auto add = [&](CoMoments* moments, const int64_t* codes, int64_t begin, int64_t end) {
    double first[reduce_block], second[reduce_block];
    const double* x = read_doubles(request.first, begin, end, first);
    const double* y = read_doubles(request.second, begin, end, second);
    for (int64_t at = 0; at < end - begin; ++at)
      if (codes[at] >= 0 && std::isfinite(x[at]) && std::isfinite(y[at])) moments[codes[at]].add(x[at], y[at]);
  };
  const auto finish = [&](const CoMoments& all, int64_t group) {
    out.both[group] = result_of(all.count, all.products, all.squares_x, all.squares_y, request);
    out.first[group] = result_of(all.count, all.squares_x, all.squares_x, all.squares_x, request);
    out.second[group] = result_of(all.count, all.squares_y, all.squares_y, all.squares_y, request);
  };
  const int64_t groups = static_cast<int64_t>(out.both.size());
  reduce_chunks<CoMoments>(request.codes, groups, chunk_rows(groups), add, finish);
}

}  // namespace tessera::routines::frames
