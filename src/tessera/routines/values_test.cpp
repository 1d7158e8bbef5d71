// What routines compute, on the host and on a device, beside the standard library's algorithms.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <tuple>

#include "tessera/base/error.h"
#include "tessera/engine/engine.h"
#include "tessera/library/host/scan.h"
#include "tessera/profile/counters.h"

namespace tessera {
namespace {

using Integers = std::vector<int64_t>;
using Reals = std::vector<double>;

class RoutineValues : public ::testing::TestWithParam<std::tuple<const char*, int64_t>> {
 protected:
  RoutineValues() { engine_.settings().set_device(std::get<0>(GetParam())); }
  ~RoutineValues() override { engine_.settings().set_device("cpu"); }

  int64_t size() const { return std::get<1>(GetParam()); }
  /// Numbers from 0 to below `range`, many of them more than once.
  Integers integers(int64_t count, int64_t range) const {
    Integers drawn(static_cast<size_t>(count));
    for (size_t k = 0; k < drawn.size(); ++k) drawn[k] = static_cast<int64_t>(k * k * 7919 + k * 31 + 5) % range;
    return drawn;
  }
  Reals reals(int64_t count, int64_t range) const {
    const Integers drawn = integers(count, range);
    return {drawn.begin(), drawn.end()};
  }
  template <class T>
  Array array(const std::vector<T>& values, DType dtype) {
    Array made = engine_.empty(Dims{static_cast<int64_t>(values.size())}, dtype);
    std::copy(values.begin(), values.end(), reinterpret_cast<T*>(engine_.write(made)));
    return made;
  }
  Array array(const Integers& values) { return array(values, DType::int64); }
  Array array(const Reals& values) { return array(values, DType::float64); }
  template <class T>
  std::vector<T> values(const Array& from, DType dtype) {
    const Array dense = engine_.contiguous(from, dtype);
    const auto* data = reinterpret_cast<const T*>(engine_.read(dense));
    return {data, data + from.size()};
  }
  Integers as_integers(const Array& from) { return values<int64_t>(from, DType::int64); }
  Reals as_reals(const Array& from) { return values<double>(from, DType::float64); }
  /// The elements that are not zero are true.
  Array mask(const Integers& chosen) {
    return engine_.map("not_equal", {array(chosen), Operand(Scalar::of_int(DType::int64, 0))});
  }

  Engine& engine_ = Engine::instance();
};

Integers order_of(const auto& less, int64_t count) {
  Integers order(static_cast<size_t>(count));
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return less(a, b) || (!less(b, a) && a < b); });
  return order;
}

TEST_P(RoutineValues, OfLargeArraysAreComputedWhereTheyWereAsked) {
  const int64_t before = profile::value(profile::Counter::device_launches);
  const Array sorted = engine_.call("sort", {array(reals(size(), 37))});
  EXPECT_EQ(as_reals(sorted)[0], 0);
  if (std::get<0>(GetParam()) != std::string_view("auto:simulated"))
    EXPECT_EQ(profile::value(profile::Counter::device_launches) > before,
              std::get<0>(GetParam()) == std::string_view("simulated") && size() > 10000);
}

TEST_P(RoutineValues, SortsAreStable) {
  const Reals x = reals(size(), 37);
  const Integers first = integers(size(), 5);
  Reals sorted = x;
  std::sort(sorted.begin(), sorted.end());
  EXPECT_EQ(as_reals(engine_.call("sort", {array(x)})), sorted);
  EXPECT_EQ(as_integers(engine_.call("argsort", {array(x)})),
            order_of([&](int64_t a, int64_t b) { return x[a] < x[b]; }, size()));
  EXPECT_EQ(
      as_integers(engine_.call("lexsort", {array(x), array(first)})),
      order_of([&](int64_t a, int64_t b) { return std::tie(first[a], x[a]) < std::tie(first[b], x[b]); }, size()));
}

TEST_P(RoutineValues, PartsOfAPartitionAreOnTheirSides) {
  const Integers x = integers(size(), 1000);
  Integers sorted = x;
  std::sort(sorted.begin(), sorted.end());
  const int64_t middle = size() / 3;
  const auto check = [&](const Integers& parts) {
    EXPECT_EQ(parts[middle], sorted[middle]);
    EXPECT_LE(*std::max_element(parts.begin(), parts.begin() + middle), sorted[middle]);
    EXPECT_GE(*std::min_element(parts.begin() + middle, parts.end()), sorted[middle]);
  };
  Integers parts = as_integers(engine_.call("partition", {array(x)}, {middle}));
  check(parts);
  const Integers places = as_integers(engine_.call("argpartition", {array(x)}, {middle}));
  Integers chosen;
  for (const int64_t place : places) chosen.push_back(x[place]);
  check(chosen);
  std::sort(parts.begin(), parts.end());
  EXPECT_EQ(parts, sorted);
}

TEST_P(RoutineValues, SearchesFindBothSidesOfEqualElements) {
  Integers sorted = integers(size(), 50);
  std::sort(sorted.begin(), sorted.end());
  const Integers keys = integers(size() / 2, 60);
  for (const bool right : {false, true}) {
    Integers expected;
    for (const int64_t key : keys) {
      const auto at = right ? std::upper_bound(sorted.begin(), sorted.end(), key)
                            : std::lower_bound(sorted.begin(), sorted.end(), key);
      expected.push_back(at - sorted.begin());
    }
    EXPECT_EQ(as_integers(engine_.call("searchsorted", {array(sorted), array(keys)}, {right})), expected);
  }
}

TEST_P(RoutineValues, ExtremesAreTheFirstOnes) {
  const Integers x = integers(size(), 97);
  EXPECT_EQ(as_integers(engine_.call("argmax", {array(x)}, {-1}))[0], std::max_element(x.begin(), x.end()) - x.begin());
  EXPECT_EQ(as_integers(engine_.call("argmin", {array(x)}, {-1}))[0], std::min_element(x.begin(), x.end()) - x.begin());
  const auto [least, largest] = std::minmax_element(x.begin(), x.end());
  EXPECT_EQ(as_integers(engine_.call("bounds", {array(x)})), (Integers{*least, *largest}));
}

TEST_P(RoutineValues, BinsAddWeightsInOrder) {
  const Integers x = integers(size(), 23);
  Reals weights = reals(size(), 1000);
  for (double& weight : weights) weight = 1 / (weight + 3);  // the order of additions shows
  Integers counts(30);
  Reals sums(30);
  for (size_t k = 0; k < x.size(); ++k) ++counts[x[k]], sums[x[k]] += weights[k];
  EXPECT_EQ(as_integers(engine_.call("bincount", {array(x)}, {30})), counts);
  EXPECT_EQ(as_reals(engine_.call("bincount", {array(x), array(weights)}, {30})), sums);
}

TEST_P(RoutineValues, SelectionsKeepTheOrder) {
  const Integers chosen = integers(size(), 3);
  const Reals x = reals(size(), 1000);
  Integers places;
  Reals selected;
  for (size_t k = 0; k < chosen.size(); ++k)
    if (chosen[k]) places.push_back(static_cast<int64_t>(k)), selected.push_back(x[k]);
  EXPECT_EQ(as_integers(engine_.call("count_nonzero", {array(chosen)}))[0], std::ssize(places));
  EXPECT_EQ(as_integers(engine_.call("nonzero", {array(chosen)})), places);
  EXPECT_EQ(as_reals(engine_.call("mask_select", {array(x), mask(chosen)})), selected);
}

TEST_P(RoutineValues, TakesFollowTheirIndices) {
  const Reals x = reals(size(), 1000);
  const Integers from = integers(size() / 2, size());
  Reals taken, repeated;
  for (const int64_t place : from) taken.push_back(x[place]);
  const Integers counts = integers(size(), 4);
  for (size_t k = 0; k < x.size(); ++k) repeated.insert(repeated.end(), static_cast<size_t>(counts[k]), x[k]);
  EXPECT_EQ(as_reals(engine_.call("take", {array(x), array(from)}, {0})), taken);
  EXPECT_EQ(as_reals(engine_.call("repeat", {array(x), array(counts)}, {0})), repeated);
  Integers beyond = from;
  beyond[0] = size();
  EXPECT_THROW(as_reals(engine_.call("take", {array(x), array(beyond)}, {0})), IndexError);
  beyond[0] = -1;
  taken[0] = x.back();
  EXPECT_EQ(as_reals(engine_.call("take_within", {array(x), array(beyond)}, {0, true})), taken);
}

TEST_P(RoutineValues, ScansAndSlidingSumsAreExactForIntegers) {
  const Integers x = integers(size(), 1000), taps{3, -1, 2};
  Integers sums(x.size()), slid(x.size() - 2);
  std::partial_sum(x.begin(), x.end(), sums.begin());
  for (size_t k = 0; k < slid.size(); ++k) slid[k] = 3 * x[k] - x[k + 1] + 2 * x[k + 2];
  EXPECT_EQ(as_integers(engine_.call("scan", {array(x)}, {static_cast<int>(library::ScanOp::add), 0, DType::int64})),
            sums);
  EXPECT_EQ(as_integers(engine_.call("correlate", {array(x), array(taps)}, {0, size() - 2})), slid);
}

INSTANTIATE_TEST_SUITE_P(Devices, RoutineValues,
                         ::testing::Combine(::testing::Values("cpu", "simulated", "auto:simulated"),
                                            ::testing::Values(40, 20000)),
                         [](const auto& info) {
                           std::string name = std::get<0>(info.param);
                           std::replace(name.begin(), name.end(), ':', '_');
                           return name + "_" + std::to_string(std::get<1>(info.param));
                         });

}  // namespace
}  // namespace tessera
