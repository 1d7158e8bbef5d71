#include <gtest/gtest.h>

#include <random>
#include <set>

#include "tessera/layout/view.h"

namespace tessera {
namespace {

std::set<int64_t> bytes_of(const View& view) {
  std::set<int64_t> bytes;
  for (int64_t flat = 0; flat < view.size(); ++flat) {
    int64_t rest = flat, at = view.offset;
    for (int axis = view.ndim() - 1; axis >= 0; --axis) {
      at += rest % view.shape[axis] * view.strides[axis];
      rest /= view.shape[axis];
    }
    for (int64_t k = 0; k < view.itemsize(); ++k) bytes.insert(at + k);
  }
  return bytes;
}

TEST(OverlapTest, SharedMemoryIsDecidedExactly) {
  std::mt19937 random(7);
  auto pick = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
  auto random_view = [&] {
    View view;
    view.dtype = static_cast<DType>(pick(1, 8));
    int ndim = pick(0, 3);
    for (int axis = 0; axis < ndim; ++axis) {
      view.shape.push_back(pick(0, 12) ? pick(1, 5) : 0);
      view.strides.push_back(pick(-24, 24));
    }
    view.offset = pick(0, 60);
    return view;
  };
  for (int trial = 0; trial < 20000; ++trial) {
    View a = random_view(), b = random_view();
    std::set<int64_t> x = bytes_of(a), y = bytes_of(b);
    bool shared = std::any_of(x.begin(), x.end(), [&](int64_t byte) { return y.contains(byte); });
    ASSERT_EQ(shares_memory(a, b, 1 << 20), std::optional<bool>(shared)) << a << " | " << b;
    Overlap kind = overlap(a, b);
    if (kind == Overlap::disjoint) ASSERT_FALSE(shared) << a << " | " << b;
    if (a.is_injective() && a.size() > 0) ASSERT_EQ(static_cast<int64_t>(x.size()), a.size() * a.itemsize()) << a;
  }
}

TEST(OverlapTest, KindsOfOverlapAreTold) {
  View v = View::contiguous(Dims{10, 10}, DType::float64);
  View left = v.slice(1, 0, 1, 5), right = v.slice(1, 5, 1, 5);
  EXPECT_EQ(overlap(left, right), Overlap::disjoint);
  EXPECT_EQ(overlap(left, left), Overlap::equal);
  EXPECT_EQ(overlap(v.slice(1, 0, 1, 6), v.slice(1, 4, 1, 6)), Overlap::shifted);
  EXPECT_EQ(overlap(v, v.transpose()), Overlap::unknown);
  EXPECT_EQ(overlap(v.slice(0, 0, 2, 5), v.slice(0, 1, 2, 5)), Overlap::disjoint);
  EXPECT_EQ(overlap(v.slice(1, 0, 2, 5), v.slice(1, 1, 2, 5)), Overlap::disjoint);
  EXPECT_EQ(overlap(v, v.slice(0, 9, -1, 10)), Overlap::unknown);
  View repeated = v.select(0, 0).broadcast_to(Dims{3, 10});
  EXPECT_EQ(overlap(repeated, repeated), Overlap::unknown);
}

TEST(OverlapTest, WorkIsBoundedAndWhatItDoesNotDecideIsUnknown) {
  View a, b;
  a.dtype = b.dtype = DType::int8;
  for (int k = 0; k < 20; ++k) {
    a.shape.push_back(50);
    a.strides.push_back(1000003 + 7919 * k * k);
    b.shape.push_back(50);
    b.strides.push_back(1000033 + 104729 * k * k);
  }
  b.offset = 13;
  EXPECT_EQ(shares_memory(a, b, 0), std::nullopt);
  EXPECT_EQ(shares_memory(a, b, 1000), std::nullopt);
  EXPECT_EQ(overlap(a, b), Overlap::unknown);
}

}  // namespace
}  // namespace tessera
