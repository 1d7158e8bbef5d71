#include "tessera/routines/frames/group_reduce.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "tessera/base/error.h"
#include "tessera/layout/element_cast.h"
#include "tessera/routines/frames/buffer.h"
#include "tessera/routines/frames/chunks.h"
#include "tessera/routines/frames/groups.h"
#include "tessera/routines/frames/read_elements.h"
#include "tessera/runtime/host/threads.h"

namespace tessera::routines::frames {

namespace {

template <class T>
T missing_value() {
  if constexpr (std::is_floating_point_v<T>) return std::numeric_limits<T>::quiet_NaN();
  if constexpr (std::is_same_v<T, int64_t>) return missing_time;
  return T{};
}

/// Integers wrap as they do in NumPy.
template <class T>
T wrapped_sum(T a, T b) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(static_cast<std::make_unsigned_t<T>>(a) + static_cast<std::make_unsigned_t<T>>(b));
  else
    return a + b;
}

/// Kahan's sum.
template <class T>
struct CompensatedSum {
  T total{};
  T lost{};

  void add(T value) {
    const T corrected = value - lost, next = total + corrected;
    lost = next - total - corrected;
    if (lost != lost) lost = 0;  // infinite
    total = next;
  }
  void join(const CompensatedSum& later) {
    add(later.total);
    lost += later.lost;
  }
};

template <std::integral T>
struct CompensatedSum<T> {
  T total{};

  void add(T value) { total = wrapped_sum(total, value); }
  void join(const CompensatedSum& later) { add(later.total); }
};

/// A state is `exact` where its result is the same however rows are cut into chunks.
template <class T>
struct SumState {
  static constexpr bool exact = std::is_integral_v<T>;
  CompensatedSum<T> sum;
  int64_t count = 0;
  void add(T value) {
    ++count;
    sum.add(value);
  }
  void join(const SumState& later) {
    count += later.count;
    sum.join(later.sum);
  }
};

template <class T>
struct Sum : SumState<T> {
  T result(const GroupRequest&) const { return this->sum.total; }
};

template <class T>
struct Mean : SumState<T> {
  T result(const GroupRequest&) const {
    if constexpr (std::is_floating_point_v<T>) return this->sum.total / static_cast<T>(this->count);
    return T{};
  }
};

template <class T>
struct Product {
  static constexpr bool exact = std::is_integral_v<T>;
  T total{1};
  int64_t count = 0;
  void add(T value) {
    ++count;
    multiply(value);
  }
  void join(const Product& later) {
    count += later.count;
    multiply(later.total);
  }
  void multiply(T value) {
    if constexpr (std::is_integral_v<T>)
      total = static_cast<T>(static_cast<uint64_t>(total) * static_cast<uint64_t>(value));
    else
      total *= value;
  }
  T result(const GroupRequest&) const { return total; }
};

/// Welford's steps; Chan's formula joins.
template <class T>
struct Moments {
  static constexpr bool exact = false;
  T mean{};
  T squares{};
  int64_t count = 0;
  void add(T value) {
    ++count;
    const T before = mean;
    mean += (value - before) / static_cast<T>(count);
    squares += (value - mean) * (value - before);
  }
  void join(const Moments& later) {
    if (later.count == 0) return;
    const T all = static_cast<T>(count + later.count), difference = later.mean - mean;
    squares += later.squares + difference * difference * (static_cast<T>(count) * static_cast<T>(later.count) / all);
    mean += difference * (static_cast<T>(later.count) / all);
    count += later.count;
  }
  T variance(const GroupRequest& request) const {
    if (count <= request.degrees) return missing_value<T>();
    return squares / static_cast<T>(count - request.degrees);
  }
};

template <class T>
struct Variance : Moments<T> {
  T result(const GroupRequest& request) const { return this->variance(request); }
};

template <class T>
struct Deviation : Moments<T> {
  T result(const GroupRequest& request) const { return std::sqrt(this->variance(request)); }
};

template <class T>
struct StandardError : Moments<T> {
  T result(const GroupRequest& request) const {
    return std::sqrt(this->variance(request) / static_cast<T>(this->count));
  }
};

/// Keeps one of the elements: replaced(old, new) says when a later one takes the place.
template <class T, class Replaced>
struct Chosen {
  static constexpr bool exact = true;
  T value{};
  int64_t count = 0;
  void add(T next) {
    if (count++ == 0 || Replaced{}(value, next)) value = next;
  }
  void join(const Chosen& later) {
    if (later.count == 0) return;
    if (count == 0 || Replaced{}(value, later.value)) value = later.value;
    count += later.count;
  }
  T result(const GroupRequest&) const { return value; }
};

struct Less {
  template <class T>
  bool operator()(T old, T next) const {
    return next < old;
  }
};
struct Greater {
  template <class T>
  bool operator()(T old, T next) const {
    return next > old;
  }
};
struct Never {
  template <class T>
  bool operator()(T, T) const {
    return false;
  }
};
struct Always {
  template <class T>
  bool operator()(T, T) const {
    return true;
  }
};

template <class T>
bool is_missing(const GroupRequest& request, int64_t row, T value) {
  if (request.missing) return request.missing[row] != 0;
  if constexpr (std::is_floating_point_v<T>) return std::isnan(value);
  if constexpr (std::is_same_v<T, int64_t>) return request.times && value == missing_time;
  return false;
}

template <class T>
const T* read_values(const GroupRequest& request, int64_t begin, int64_t end, T* block) {
  const ColumnView& values = request.values;
  if (values.dtype == request.result && values.stride == sizeof(T))
    return reinterpret_cast<const T*>(values.data) + begin;
  read_elements(values, begin, end, block);
  return block;
}

template <class T, class State>
void reduce(const GroupRequest& request, char* out, std::span<int64_t> counts) {
  T* results = reinterpret_cast<T*>(out);
  const auto add = [&](State* states, const int64_t* codes, int64_t begin, int64_t end) {
    T block[reduce_block];
    const T* values = read_values<T>(request, begin, end, block);
    for (int64_t row = begin; row < end; ++row) {
      const T value = values[row - begin];
      const int64_t code = codes[row - begin];
      if (code >= 0 && !is_missing(request, row, value)) states[code].add(value);
    }
  };
  const auto finish = [&](const State& all, int64_t group) {
    counts[group] = all.count;
    results[group] = all.count < request.least_count ? missing_value<T>() : all.result(request);
  };
  const int64_t chunk =
      State::exact ? free_chunk_rows(request.codes.size(), request.groups) : chunk_rows(request.groups);
  reduce_chunks<State>(request.codes, request.groups, chunk, add, finish);
}

/// The middle of the values, or the mean of the two in the middle, in any order.
template <class T>
T median_of(std::span<T> values) {
  const size_t middle = values.size() / 2;
  std::nth_element(values.begin(), values.begin() + middle, values.end());
  const T upper = values[middle];
  if (values.size() % 2) return upper;
  return (*std::max_element(values.begin(), values.begin() + middle) + upper) / 2;
}

template <class T>
void reduce_to_medians(const GroupRequest& request, char* out, std::span<int64_t> counts) {
  if constexpr (std::is_floating_point_v<T>) {
    std::vector<int64_t> starts(request.groups + 1);
    const Buffer<T> values(request.values.size);
    place_by_group(request.codes, starts, [&](int64_t row, int64_t place) {
      T block;
      const T value = *read_values<T>(request, row, row + 1, &block);
      values[place] = is_missing(request, row, value) ? missing_value<T>() : value;
    });
    T* results = reinterpret_cast<T*>(out);
    auto body = [&](int64_t begin, int64_t end) {
      for (int64_t group = begin; group < end; ++group) {
        const std::span own = values.span().subspan(starts[group], starts[group + 1] - starts[group]);
        const auto present = std::partition(own.begin(), own.end(), [](T value) { return !std::isnan(value); });
        counts[group] = present - own.begin();
        results[group] = counts[group] < std::max<int64_t>(1, request.least_count)
                             ? missing_value<T>()
                             : median_of(own.first(counts[group]));
      }
    };
    runtime::parallel_for(request.groups, 64, body);
  } else {
    throw TypeError("frames: medians are taken of floating-point numbers");
  }
}

template <class T>
void reduce_as(const GroupRequest& request, char* out, std::span<int64_t> counts) {
  switch (request.op) {
    case GroupOp::sum: return reduce<T, Sum<T>>(request, out, counts);
    case GroupOp::product: return reduce<T, Product<T>>(request, out, counts);
    case GroupOp::minimum: return reduce<T, Chosen<T, Less>>(request, out, counts);
    case GroupOp::maximum: return reduce<T, Chosen<T, Greater>>(request, out, counts);
    case GroupOp::first: return reduce<T, Chosen<T, Never>>(request, out, counts);
    case GroupOp::last: return reduce<T, Chosen<T, Always>>(request, out, counts);
    case GroupOp::median: return reduce_to_medians<T>(request, out, counts);
    case GroupOp::mean:
    case GroupOp::variance:
    case GroupOp::deviation:
    case GroupOp::standard_error: break;
  }
  if constexpr (std::is_floating_point_v<T>) {
    if (request.op == GroupOp::mean) return reduce<T, Mean<T>>(request, out, counts);
    if (request.op == GroupOp::variance) return reduce<T, Variance<T>>(request, out, counts);
    if (request.op == GroupOp::deviation) return reduce<T, Deviation<T>>(request, out, counts);
    return reduce<T, StandardError<T>>(request, out, counts);
  }
  throw TypeError("frames: means and variances are taken of floating-point numbers");
}

}  // namespace

std::optional<GroupOp> group_op_from_name(std::string_view name) {
  constexpr std::pair<std::string_view, GroupOp> names[] = {
      {"sum", GroupOp::sum},      {"prod", GroupOp::product},  {"mean", GroupOp::mean},
      {"var", GroupOp::variance}, {"std", GroupOp::deviation}, {"sem", GroupOp::standard_error},
      {"min", GroupOp::minimum},  {"max", GroupOp::maximum},   {"first", GroupOp::first},
      {"last", GroupOp::last},    {"median", GroupOp::median},
  };
  for (const auto& [known, op] : names)
    if (known == name) return op;
  return std::nullopt;
}

void group_reduce(const GroupRequest& request, char* out, std::span<int64_t> counts) {
  visit_dtype(request.result, [&]<class T>(T) {
    if constexpr (std::is_same_v<T, bool>)
      reduce_as<uint8_t>(request, out, counts);
    else if constexpr (std::is_arithmetic_v<T>)
      reduce_as<T>(request, out, counts);
    else
      throw TypeError(format("frames: groups of dtype {} are not reduced", name(request.result)));
  });
}

}  // namespace tessera::routines::frames
