#include "tessera/library/lapack/solve.h"

#include <gtest/gtest.h>

#include <vector>

#include "tessera/base/error.h"
#include "tessera/library/blas/vendor_library.h"
#include "tessera/library/lapack/decompose.h"

namespace tessera::library {
namespace {

Strided strided(std::vector<double>& x, const Dims& shape) {
  return {reinterpret_cast<char*>(x.data()), View::contiguous(shape, DType::float64)};
}

class Lapack : public testing::Test {
 protected:
  void SetUp() override {
    if (!VendorLibrary::instance() || !VendorLibrary::instance().find_lapack("dgesv")) GTEST_SKIP() << "no LAPACK here";
  }
};

TEST_F(Lapack, SolvesEverySystemOfABatch) {
  std::vector<double> a{2, 0, 0, 4, 1, 1, 0, 1}, b{2, 4, 3, 1}, x(4);
  solve(strided(a, {2, 2, 2}), strided(b, {2, 2, 1}), strided(x, {2, 2, 1}));
  EXPECT_EQ(x, (std::vector<double>{1, 1, 2, 1}));
}

TEST_F(Lapack, ASingularMatrixIsRefused) {
  std::vector<double> a(4, 1.0), x(4);
  EXPECT_THROW(invert(strided(a, {2, 2}), strided(x, {2, 2})), LinAlgError);
}

TEST_F(Lapack, TheDeterminantOfNothingIsOne) {
  std::vector<double> a, d(3);
  determinant(strided(a, {3, 0, 0}), strided(d, {3}));
  EXPECT_EQ(d, (std::vector<double>{1, 1, 1}));
}

TEST_F(Lapack, SingularValuesDescend) {
  std::vector<double> a{3, 0, 0, 0, -5, 0}, s(2), u(4), vh(6);
  const Strided left = strided(u, {2, 2}), right = strided(vh, {2, 3});
  singular_values(strided(a, {2, 3}), Vectors::thin, strided(s, {2}), &left, &right);
  EXPECT_NEAR(s[0], 5, 1e-14);
  EXPECT_NEAR(s[1], 3, 1e-14);
}

TEST_F(Lapack, OneTriangleDecidesAHermitianMatrix) {
  std::vector<double> a{2, 99, 1, 2}, w(2);
  hermitian_eigenvalues(strided(a, {2, 2}), false, strided(w, {2}), nullptr);
  EXPECT_NEAR(w[0], 1, 1e-14);
  EXPECT_NEAR(w[1], 3, 1e-14);
}

}  // namespace
}  // namespace tessera::library
