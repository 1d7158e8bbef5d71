#include "tessera/library/lapack/small.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "tessera/base/error.h"

namespace tessera::library {
namespace {

Strided matrix_in(std::vector<double>& x, const Dims& shape) {
  return {reinterpret_cast<char*>(x.data()), View::contiguous(shape, DType::float64)};
}

TEST(SmallMatrices, SystemsAreSolvedWithPivoting) {
  std::vector<double> a{0, 2, 1, 1}, b{4, 2, 3, 5}, x(4);
  solve_small(matrix_in(a, {2, 2}), matrix_in(b, {2, 2}), matrix_in(x, {2, 2}));
  EXPECT_EQ(x, (std::vector<double>{1, 4, 2, 1}));
}

TEST(SmallMatrices, InversesAndDeterminants) {
  std::vector<double> a{0, 2, 4, 0}, x(4);
  invert_small(matrix_in(a, {2, 2}), matrix_in(x, {2, 2}));
  EXPECT_EQ(x, (std::vector<double>{0, 0.25, 0.5, 0}));
  EXPECT_EQ(small_determinant(matrix_in(a, {2, 2})), -8);
  double sign = 0, log = 0;
  small_log_determinant(matrix_in(a, {2, 2}), sign, log);
  EXPECT_EQ(sign, -1);
  EXPECT_DOUBLE_EQ(log, std::log(8.0));
}

TEST(SmallMatrices, SingularOnesAreToldApart) {
  std::vector<double> a{1, 2, 2, 4}, x(4);
  EXPECT_THROW(invert_small(matrix_in(a, {2, 2}), matrix_in(x, {2, 2})), Error);
  double sign = 1, log = 0;
  small_log_determinant(matrix_in(a, {2, 2}), sign, log);
  EXPECT_EQ(sign, 0);
  EXPECT_EQ(log, -std::numeric_limits<double>::infinity());
}

TEST(SmallMatrices, LargeOnesAndOtherNumbersAreNotSmall) {
  std::vector<double> a(81);
  EXPECT_TRUE(is_small(matrix_in(a, {8, 8})));
  EXPECT_FALSE(is_small(matrix_in(a, {9, 9})));
  EXPECT_FALSE(is_small({reinterpret_cast<char*>(a.data()), View::contiguous(Dims{2, 2}, DType::complex128)}));
}

}  // namespace
}  // namespace tessera::library
