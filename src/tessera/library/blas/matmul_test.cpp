#include "tessera/library/blas/matmul.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <vector>

#include "tessera/base/error.h"
#include "tessera/library/blas/batch.h"
#include "tessera/library/blas/native_matmul.h"

namespace tessera::library {
namespace {

template <class T>
Matrix rows_of(std::vector<T>& x, int64_t rows, int64_t columns) {
  return {reinterpret_cast<char*>(x.data()), rows, columns, columns * static_cast<int64_t>(sizeof(T)), sizeof(T)};
}

template <class T>
std::vector<T> counting(int64_t n, T first = T(1)) {
  std::vector<T> x(static_cast<size_t>(n));
  std::iota(x.begin(), x.end(), first);
  return x;
}

TEST(Matmul, TransposedOperandsAreTakenAsTheyLie) {
  auto a = counting<double>(6), b = counting<double>(6);
  std::vector<double> out(9);
  matmul(DType::float64, rows_of(a, 2, 3).transposed(), rows_of(b, 2, 3), rows_of(out, 3, 3));
  EXPECT_EQ(out, (std::vector<double>{17, 22, 27, 22, 29, 36, 27, 36, 45}));
}

TEST(Matmul, AMatrixTimesItsTransposeIsSymmetric) {
  auto a = counting<double>(12);
  std::vector<double> out(16), expected(16);
  const Matrix m = rows_of(a, 4, 3);
  matmul(DType::float64, m, m.transposed(), rows_of(out, 4, 4));
  native_matmul(DType::float64, m, m.transposed(), rows_of(expected, 4, 4));
  EXPECT_EQ(out, expected);
}

TEST(Matmul, NarrowIntegersWrap) {
  std::vector<uint8_t> a{200, 100}, b{2, 3}, out(1);
  matmul(DType::uint8, rows_of(a, 1, 2), rows_of(b, 2, 1), rows_of(out, 1, 1));
  EXPECT_EQ(out[0], static_cast<uint8_t>(700));
}

TEST(Matmul, BooleansAreOrOfAnd) {
  std::vector<uint8_t> a{1, 0, 0, 0}, b{0, 1, 1, 1}, out(4, 7);
  matmul(DType::boolean, rows_of(a, 2, 2), rows_of(b, 2, 2), rows_of(out, 2, 2));
  EXPECT_EQ(out, (std::vector<uint8_t>{0, 1, 0, 0}));
}

TEST(Matmul, AnEmptySumIsZero) {
  std::vector<double> a, b, out(6, 3.0);
  matmul(DType::float64, rows_of(a, 2, 0), rows_of(b, 0, 3), rows_of(out, 2, 3));
  EXPECT_EQ(out, std::vector<double>(6, 0.0));
}

TEST(Matmul, WideRowsAreSummedInBlocks) {
  auto a = counting<int64_t>(3), b = counting<int64_t>(3 * 1500);
  std::vector<int64_t> out(1500);
  matmul(DType::int64, rows_of(a, 1, 3), rows_of(b, 3, 1500), rows_of(out, 1, 1500));
  for (int64_t j = 0; j < 1500; ++j) ASSERT_EQ(out[static_cast<size_t>(j)], (1 + j) + 2 * (1501 + j) + 3 * (3001 + j));
}

TEST(ProductShape, VectorsLoseTheirMissingAxis) {
  EXPECT_EQ(product_shape(Product::matmul, {3}, {3}).result, (Dims{}));
  EXPECT_EQ(product_shape(Product::matmul, {5, 2, 3}, {3}).result, (Dims{5, 2}));
  EXPECT_EQ(product_shape(Product::vecdot, {4, 1, 3}, {2, 3}).result, (Dims{4, 2}));
}

TEST(ProductShape, AMismatchNamesTheOperandAndSizes) {
  try {
    product_shape(Product::matmul, {2, 3}, {4, 5});
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "matmul: Input operand 1 has a mismatch in its core dimension 0, with gufunc signature "
                 "(n?,k),(k,m?)->(n?,m?) (size 4 is different from 3)");
  }
}

TEST(RunProduct, BroadcastBatchesReuseTheOneMatrix) {
  auto a = counting<double>(2 * 2 * 2), b = counting<double>(4);
  std::vector<double> out(8);
  run_product(Product::matmul, {reinterpret_cast<char*>(a.data()), View::contiguous(Dims{2, 2, 2}, DType::float64)},
              {reinterpret_cast<char*>(b.data()), View::contiguous(Dims{2, 2}, DType::float64)},
              {reinterpret_cast<char*>(out.data()), View::contiguous(Dims{2, 2, 2}, DType::float64)});
  EXPECT_EQ(out, (std::vector<double>{7, 10, 15, 22, 23, 34, 31, 46}));
}

}  // namespace
}  // namespace tessera::library
