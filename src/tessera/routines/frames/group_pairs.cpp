#include "tessera/routines/frames/group_pairs.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tessera/routines/frames/chunks.h"

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

double result_of(const CoMoments& moments, const PairRequest& request) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  if (moments.count < static_cast<double>(request.least_count)) return nan;
  const double divisor = request.correlation ? std::sqrt(moments.squares_x * moments.squares_y)
                                             : moments.count - static_cast<double>(request.degrees);
  if (divisor == 0 || (!request.correlation && divisor < 0)) return nan;
  const double value = moments.products / divisor;
  return request.correlation && !std::isnan(value) ? std::clamp(value, -1.0, 1.0) : value;
}

}  // namespace

void group_pairs(const PairRequest& request, std::span<double> out) {
  const auto add = [&](CoMoments& moments, int64_t row) {
    const double x = request.first[row], y = request.second[row];
    if (!std::isnan(x) && !std::isnan(y)) moments.add(x, y);
  };
  const auto finish = [&](const CoMoments& moments, int64_t group) { out[group] = result_of(moments, request); };
  reduce_chunks<CoMoments>(request.codes, static_cast<int64_t>(out.size()), add, finish);
}

}  // namespace tessera::routines::frames
