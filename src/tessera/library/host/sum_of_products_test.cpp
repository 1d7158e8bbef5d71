#include "tessera/library/host/sum_of_products.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace tessera::library {
namespace {

TEST(SumOfProductsTest, MatricesMultiply) {
  std::array<double, 6> a{1, 2, 3, 4, 5, 6}, b{1, 0, 0, 1, 1, 1};  // 2 x 3 and 3 x 2
  std::array<Factor, 2> factors{Factor{reinterpret_cast<char*>(a.data()), Dims{24, 0, 8}},
                                Factor{reinterpret_cast<char*>(b.data()), Dims{0, 8, 16}}};
  std::array<int64_t, 3> extents{2, 2, 3};
  std::array<double, 4> out{};
  sum_of_products(factors, extents, 2, DType::float64, reinterpret_cast<char*>(out.data()));
  EXPECT_EQ(out, (std::array<double, 4>{4, 5, 10, 11}));
}

TEST(SumOfProductsTest, OverNothingTheSumIsZero) {
  std::array<Factor, 1> factors{Factor{nullptr, Dims{8, 8}}};
  std::array<int64_t, 2> extents{2, 0};
  std::array<int64_t, 2> out{7, 7};
  sum_of_products(factors, extents, 1, DType::int64, reinterpret_cast<char*>(out.data()));
  EXPECT_EQ(out, (std::array<int64_t, 2>{0, 0}));
}

TEST(SumOfProductsTest, WithoutSummedLabelsItMultiplies) {
  std::array<int64_t, 2> a{2, 3}, out{};
  auto* data = reinterpret_cast<char*>(a.data());
  std::array<Factor, 3> factors{Factor{data, Dims{8}}, Factor{data, Dims{8}}, Factor{data, Dims{0}}};
  std::array<int64_t, 1> extents{2};
  sum_of_products(factors, extents, 1, DType::int64, reinterpret_cast<char*>(out.data()));
  EXPECT_EQ(out, (std::array<int64_t, 2>{8, 18}));
}

}  // namespace
}  // namespace tessera::library
