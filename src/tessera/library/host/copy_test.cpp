#include "tessera/library/host/copy.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>
#include <vector>

#include "tessera/layout/element_cast.h"

namespace tessera::library {
namespace {

TEST(CopyTest, EveryLayoutArrives) {
  std::mt19937 random(1);
  for (int trial = 0; trial < 300; ++trial) {
    int ndim = static_cast<int>(random() % 5);
    Dims shape;
    for (int axis = 0; axis < ndim; ++axis) shape.push_back(random() % 6 ? 1 + random() % (ndim < 3 ? 90 : 9) : 1);
    View whole = View::contiguous(shape, DType::int32), from = whole;
    std::vector<int32_t> source(whole.size());
    std::iota(source.begin(), source.end(), 0);
    // Reverses and permutes axes at random.
    std::vector<int> axes(ndim);
    std::iota(axes.begin(), axes.end(), 0);
    std::shuffle(axes.begin(), axes.end(), random);
    from = from.transpose(axes);
    for (int axis = 0; axis < ndim; ++axis)
      if (random() % 3 == 0) from = from.slice(axis, from.shape[axis] - 1, -1, from.shape[axis]);
    View to = View::contiguous(from.shape, DType::float64);
    std::vector<double> out(to.size(), -1);
    copy_view(reinterpret_cast<char*>(source.data()) + from.offset, from, reinterpret_cast<char*>(out.data()), to);
    std::vector<int32_t> moved(to.size(), -1);
    View same = View::contiguous(from.shape, DType::int32);
    copy_view(reinterpret_cast<char*>(source.data()) + from.offset, from, reinterpret_cast<char*>(moved.data()), same);
    for (int64_t flat = 0; flat < to.size(); ++flat) {
      int64_t rest = flat, at = from.offset;
      for (int axis = ndim - 1; axis >= 0; --axis) {
        at += rest % from.shape[axis] * from.strides[axis];
        rest /= from.shape[axis];
      }
      ASSERT_EQ(moved[flat], source[at / 4]) << from;
      ASSERT_EQ(out[flat], source[at / 4]) << from;
    }
  }
}

TEST(CopyTest, EveryCastEqualsTheScalarCast) {
  std::vector<double> values{0,   1,    -1,   2.5, -2.5,     100,       300,  -70000,
                             3e9, -3e9, 1e19, NAN, INFINITY, -INFINITY, 1e-8, 65520};
  for (int a = 0; a < dtype_count; ++a) {
    for (int b = 0; b < dtype_count; ++b) {
      auto from = static_cast<DType>(a), to = static_cast<DType>(b);
      for (double value : values) {
        Scalar source = Scalar::of_float(from, value), result;
        find_cast_loop(from, to)(reinterpret_cast<char*>(source.bytes), 0, reinterpret_cast<char*>(result.bytes), 0, 1);
        result.dtype = to;
        EXPECT_EQ(result, source.cast_to(to)) << from << " to " << to << " of " << value;
      }
    }
  }
}

}  // namespace
}  // namespace tessera::library
