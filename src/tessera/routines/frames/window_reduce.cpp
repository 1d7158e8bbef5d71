#include "tessera/routines/frames/window_reduce.h"

#include <algorithm>
#include <atomic>
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

/// Of each row: how many elements before it are present, and how many equal ones end with the last that is.
class Presence {
 public:
  explicit Presence(std::span<const double> values) {
    if (is_plain(values)) return;
    present_.resize(values.size() + 1);
    equal_.resize(values.size() + 1);
    const int64_t n = static_cast<int64_t>(values.size()), blocks = (n + block - 1) / block;
    std::vector<Carry> carries(blocks + 1);
    auto count = [&](int64_t from, int64_t to) {
      for (int64_t b = from; b < to; ++b) carries[b + 1] = walk(values, b, Carry{}, false);
    };
    runtime::parallel_for(blocks, 1, count);
    for (int64_t b = 0; b < blocks; ++b) carries[b + 1].follow(carries[b]);
    auto fill = [&](int64_t from, int64_t to) {
      for (int64_t b = from; b < to; ++b) walk(values, b, carries[b], true);
    };
    runtime::parallel_for(blocks, 1, fill);
  }

  int64_t count(int64_t begin, int64_t end) const {
    return present_.empty() ? end - begin : present_[end] - present_[begin];
  }
  /// Whether the `count` elements that are present before `end` are equal.
  bool is_equal(int64_t end, int64_t count) const { return equal_.empty() ? count == 1 : equal_[end] >= count; }

 private:
  static constexpr int64_t block = 1 << 15;
  /// What a block hands on to the next.
  struct Carry {
    int64_t present = 0, equal = 0;
    double first = nan, last = nan;
    bool is_constant = true;

    void follow(const Carry& before) {
      if (present == 0) {
        equal = before.equal, last = before.last;
      } else if (is_constant && before.last == first) {
        equal += before.equal;
      }
      present += before.present;
    }
  };

  /// Whether no element is missing, and none is followed by its equal.
  static bool is_plain(std::span<const double> values) {
    std::atomic<bool> plain = true;
    auto look = [&](int64_t from, int64_t to) {
      int64_t found = 0;
      for (int64_t row = std::max<int64_t>(from, 1); row < to; ++row) found += !(values[row] != values[row - 1]);
      for (int64_t row = from; row < to; ++row) found += std::isnan(values[row]);
      if (found) plain = false;
    };
    runtime::parallel_for(static_cast<int64_t>(values.size()), block, look);
    return plain;
  }

  Carry walk(std::span<const double> values, int64_t b, Carry carry, bool writes) {
    for (int64_t row = b * block; row < std::min<int64_t>(values.size(), (b + 1) * block); ++row) {
      const double value = values[row];
      if (!std::isnan(value)) {
        carry.equal = value == carry.last ? carry.equal + 1 : 1;
        if (carry.present++ == 0) carry.first = value;
        carry.is_constant &= value == carry.first;
        carry.last = value;
      }
      if (!writes) continue;
      present_[row + 1] = carry.present;
      equal_[row + 1] = carry.equal;
    }
    return carry;
  }

  std::vector<int64_t> present_, equal_;
};

double last_present(std::span<const double> values, int64_t end) {
  while (std::isnan(values[end - 1])) --end;
  return values[end - 1];
}

constexpr int64_t slide_rows = 1 << 14;  // windows of one chunk, which is on one thread

/// The elements of each window, by two lists.
struct ListedBounds {
  std::span<const int64_t> starts, ends;
  int64_t rows;

  std::pair<int64_t, int64_t> of(int64_t window) const {
    const int64_t first = std::clamp<int64_t>(starts[window], 0, rows);
    return {first, std::clamp<int64_t>(ends[window], first, rows)};
  }
};

/// The elements of each window, as far from it as those of all others.
struct FixedBounds {
  FixedWindows windows;
  int64_t rows;

  std::pair<int64_t, int64_t> of(int64_t window) const {
    const int64_t first = std::clamp<int64_t>(window + windows.first, 0, rows);
    return {first, std::clamp<int64_t>(window + windows.last, first, rows)};
  }
};

/// Whether windows move forward only and are short beside a chunk.
bool may_slide(const WindowRequest& request) {
  if (request.fixed) return request.fixed->last - request.fixed->first <= slide_rows / 2;
  const int64_t rows = static_cast<int64_t>(request.starts.size()), blocks = (rows + slide_rows - 1) / slide_rows;
  std::vector<uint8_t> fits(blocks, 1);
  auto body = [&](int64_t from, int64_t to) {
    for (int64_t b = from; b < to; ++b) {
      bool good = true;
      for (int64_t row = b * slide_rows; row < std::min(rows, (b + 1) * slide_rows); ++row) {
        const int64_t before = std::max<int64_t>(0, row - 1);
        good &= request.starts[row] >= request.starts[before] && request.ends[row] >= request.ends[before];
        good &= request.ends[row] - request.starts[row] <= slide_rows / 2;
      }
      fits[b] = good;
    }
  };
  runtime::parallel_for(blocks, 1, body);
  return std::ranges::all_of(fits, [](uint8_t good) { return good != 0; });
}

/// The elements of a window that moves forward: those up to `middle_` are kept as states from each of them up to there,
/// those behind it as one state.
template <class State>
class SlidingWindow {
 public:
  explicit SlidingWindow(std::span<const double> values) : values_(values) {}

  State over(int64_t begin, int64_t end) {
    if (begin >= middle_) turn(begin, end);
    for (; next_ < end; ++next_) behind_.join(state_of(next_));
    State all = begin < middle_ ? before_[begin - first_] : State{};
    all.join(behind_);
    return all;
  }

 private:
  State state_of(int64_t row) const {
    const double value = values_[row];
    return std::isnan(value) ? State{} : State::of(value);
  }
  void turn(int64_t begin, int64_t end) {
    first_ = begin;
    middle_ = next_ = end;
    behind_ = State{};
    before_.resize(std::max<int64_t>(0, end - begin));
    State all;
    for (int64_t row = end; row-- > begin;) {
      State one = state_of(row);
      one.join(all);
      before_[row - begin] = all = one;
    }
  }

  std::span<const double> values_;
  std::vector<State> before_;
  State behind_;
  int64_t first_ = 0, middle_ = -1, next_ = 0;
};

/// Writes write(state, count, end) for each window with enough elements, NaN for others.
template <class State, class Bounds, class Write>
void reduce_within(const Bounds& bounds, bool slides, const WindowRequest& request, const Presence& presence,
                   std::span<double> out, const Write& write) {
  const int64_t windows = static_cast<int64_t>(out.size());
  const auto over = [&](int64_t from, int64_t to, auto& states) {
    for (int64_t row = from; row < to; ++row) {
      const auto [first, last] = bounds.of(row);
      const int64_t count = presence.count(first, last);
      const State state = states.over(first, last);
      out[row] = count < request.least_count ? nan : write(state, count, last);
    }
  };
  if (!slides) {
    const Runs<State> runs(request.values);
    auto body = [&](int64_t begin, int64_t end) { over(begin, end, runs); };
    runtime::parallel_for(windows, 1 << 13, body);
    return;
  }
  auto body = [&](int64_t begin, int64_t end) {
    for (int64_t chunk = begin; chunk < end; ++chunk) {
      SlidingWindow<State> window(request.values);
      over(chunk * slide_rows, std::min(windows, (chunk + 1) * slide_rows), window);
    }
  };
  runtime::parallel_for((windows + slide_rows - 1) / slide_rows, 1, body);
}

template <class State, class Write>
void reduce(const WindowRequest& request, const Presence& presence, std::span<double> out, const Write& write) {
  const int64_t rows = static_cast<int64_t>(request.values.size());
  const bool slides = may_slide(request);
  if (request.fixed)
    return reduce_within<State>(FixedBounds{*request.fixed, rows}, slides, request, presence, out, write);
  reduce_within<State>(ListedBounds{request.starts, request.ends, rows}, slides, request, presence, out, write);
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
  const Presence presence(request.values);
  const auto variance = [&](const WindowMoments& moments, int64_t count) {
    return count <= request.degrees ? nan : moments.squares / static_cast<double>(count - request.degrees);
  };
  const auto extreme = [](const auto& state, int64_t count, int64_t) { return count == 0 ? nan : state.value; };
  switch (request.op) {
    case WindowOp::sum:
    case WindowOp::mean:
      return reduce<WindowSum>(request, presence, out, [&](const WindowSum& sum, int64_t count, int64_t end) {
        const bool is_sum = request.op == WindowOp::sum;
        if (count == 0) return is_sum ? 0.0 : nan;
        const double n = static_cast<double>(count);
        if (!presence.is_equal(end, count)) return is_sum ? sum.total : sum.total / n;
        const double value = last_present(request.values, end);
        return is_sum ? value * n : value;
      });
    case WindowOp::minimum: return reduce<WindowMinimum>(request, presence, out, extreme);
    case WindowOp::maximum: return reduce<WindowMaximum>(request, presence, out, extreme);
    case WindowOp::variance:
      return reduce<WindowMoments>(request, presence, out, [&](const WindowMoments& moments, int64_t count, int64_t) {
        return variance(moments, count);
      });
    case WindowOp::deviation:
      return reduce<WindowMoments>(request, presence, out, [&](const WindowMoments& moments, int64_t count, int64_t) {
        return std::sqrt(variance(moments, count));
      });
  }
}

}  // namespace tessera::routines::frames
