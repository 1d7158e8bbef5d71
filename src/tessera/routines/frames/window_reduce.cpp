#include "tessera/routines/frames/window_reduce.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "tessera/base/error.h"
#include "tessera/runtime/host/threads.h"

namespace tessera::routines::frames {

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

struct WindowSum {
  double total = 0;
  static WindowSum of(double value) { return {value}; }
  void join(const WindowSum& later) { total += later.total; }
};

struct WindowMinimum {
  double value = std::numeric_limits<double>::infinity();
  static WindowMinimum of(double value) { return {value}; }
  void join(const WindowMinimum& later) { value = later.value < value ? later.value : value; }
};

struct WindowMaximum {
  double value = -std::numeric_limits<double>::infinity();
  static WindowMaximum of(double value) { return {value}; }
  void join(const WindowMaximum& later) { value = later.value > value ? later.value : value; }
};

/// Count, mean and squares about the mean, joined by Chan's formula.
struct WindowMoments {
  double count = 0, mean = 0, squares = 0;
  static WindowMoments of(double value) { return {1, value, 0}; }
  void join(const WindowMoments& later) {
    if (later.count == 0) return;
    const double all = count + later.count, difference = later.mean - mean;
    squares += later.squares + difference * difference * (count * later.count / all);
    mean += difference * (later.count / all);
    count = all;
  }
};

/// Aligned runs of 1, 2, 4, ... elements, each reduced; missing elements leave no trace.
template <class State>
class Runs {
 public:
  explicit Runs(std::span<const double> values) {
    levels_.emplace_back(values.size());
    auto fill = [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row)
        if (!std::isnan(values[row])) levels_[0][row] = State::of(values[row]);
    };
    runtime::parallel_for(static_cast<int64_t>(values.size()), 1 << 15, fill);
    while (levels_.back().size() > 1) {
      const std::vector<State>& below = levels_.back();
      std::vector<State> next(below.size() / 2);
      auto pair = [&](int64_t begin, int64_t end) {
        for (int64_t at = begin; at < end; ++at) {
          next[at] = below[2 * at];
          next[at].join(below[2 * at + 1]);
        }
      };
      runtime::parallel_for(static_cast<int64_t>(next.size()), 1 << 15, pair);
      levels_.push_back(std::move(next));
    }
  }

  State over(int64_t begin, int64_t end) const {
    State left, right;
    size_t level = 0;
    if (end - begin <= 16) {
      for (int64_t row = begin; row < end; ++row) left.join(levels_[0][row]);
      return left;
    }
    for (; begin < end; ++level, begin >>= 1, end >>= 1) {
      if (begin & 1) left.join(levels_[level][begin++]);
      if (end & 1) {
        State run = levels_[level][--end];
        run.join(right);
        right = run;
      }
    }
    left.join(right);
    return left;
  }

 private:
  std::vector<std::vector<State>> levels_;
};

/// counts[i]: how many of the first i elements are not missing.
std::vector<int64_t> count_present(std::span<const double> values) {
  std::vector<int64_t> counts(values.size() + 1);
  for (size_t row = 0; row < values.size(); ++row) counts[row + 1] = counts[row] + !std::isnan(values[row]);
  return counts;
}

template <class State, class Finish>
void reduce(const WindowRequest& request, std::span<double> out, Finish finish) {
  const Runs<State> runs(request.values);
  const std::vector<int64_t> present = count_present(request.values);
  const int64_t rows = static_cast<int64_t>(request.values.size());
  auto body = [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const int64_t first = std::clamp<int64_t>(request.starts[row], 0, rows);
      const int64_t last = std::clamp<int64_t>(request.ends[row], first, rows);
      const int64_t count = present[last] - present[first];
      out[row] = count < request.least_count ? nan : finish(runs.over(first, last), count);
    }
  };
  runtime::parallel_for(static_cast<int64_t>(out.size()), 1 << 13, body);
}

}  // namespace

std::optional<WindowOp> window_op_from_name(std::string_view name) {
  constexpr std::pair<std::string_view, WindowOp> names[] = {
      {"sum", WindowOp::sum},     {"mean", WindowOp::mean},    {"min", WindowOp::minimum},
      {"max", WindowOp::maximum}, {"var", WindowOp::variance}, {"std", WindowOp::deviation},
  };
  for (const auto& [known, op] : names)
    if (known == name) return op;
  return std::nullopt;
}

void window_reduce(const WindowRequest& request, std::span<double> out) {
  const auto variance = [&](const WindowMoments& moments, int64_t count) {
    return count <= request.degrees ? nan : moments.squares / static_cast<double>(count - request.degrees);
  };
  switch (request.op) {
    case WindowOp::sum: return reduce<WindowSum>(request, out, [](const WindowSum& sum, int64_t) { return sum.total; });
    case WindowOp::mean:
      return reduce<WindowSum>(request, out, [](const WindowSum& sum, int64_t count) {
        return count == 0 ? nan : sum.total / static_cast<double>(count);
      });
    case WindowOp::minimum:
      return reduce<WindowMinimum>(
          request, out, [](const WindowMinimum& least, int64_t count) { return count == 0 ? nan : least.value; });
    case WindowOp::maximum:
      return reduce<WindowMaximum>(
          request, out, [](const WindowMaximum& largest, int64_t count) { return count == 0 ? nan : largest.value; });
    case WindowOp::variance: return reduce<WindowMoments>(request, out, variance);
    case WindowOp::deviation:
      return reduce<WindowMoments>(request, out, [&](const WindowMoments& moments, int64_t count) {
        return std::sqrt(variance(moments, count));
      });
  }
}

}  // namespace tessera::routines::frames
