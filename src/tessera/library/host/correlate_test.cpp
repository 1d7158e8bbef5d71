#include "tessera/library/host/correlate.h"

#include <gtest/gtest.h>

#include <complex>
#include <vector>

namespace tessera::library {
namespace {

template <class T>
std::vector<T> correlated(const std::vector<T>& a, const std::vector<T>& v, int64_t left, int64_t count, DType dtype) {
  std::vector<T> out(count);
  correlate(reinterpret_cast<const char*>(a.data()), a.size(), reinterpret_cast<const char*>(v.data()), v.size(), left,
            count, dtype, reinterpret_cast<char*>(out.data()));
  return out;
}

TEST(CorrelateTest, ElementsOutsideCountAsZero) {
  EXPECT_EQ(correlated<int64_t>({1, 2, 3}, {1, 10}, 1, 4, DType::int64), (std::vector<int64_t>{10, 21, 32, 3}));
  EXPECT_EQ(correlated<int64_t>({1, 2, 3}, {1, 10}, 0, 2, DType::int64), (std::vector<int64_t>{21, 32}));
}

TEST(CorrelateTest, LongSequencesGiveTheSumsInOrder) {
  std::vector<double> a(1000), v(37);
  for (size_t k = 0; k < a.size(); ++k) a[k] = 1.0 / (1 + k % 13);
  for (size_t k = 0; k < v.size(); ++k) v[k] = 1.0 / (3 + k % 7);
  std::vector<double> out = correlated(a, v, 0, 964, DType::float64);
  for (int64_t k = 0; k < 964; ++k) {
    double sum = 0;
    for (size_t j = 0; j < v.size(); ++j) sum += a[k + j] * v[j];
    EXPECT_EQ(out[k], sum);
  }
}

TEST(CorrelateTest, ComplexAndNarrowTypesWork) {
  using C = std::complex<double>;
  EXPECT_EQ(correlated<C>({C(1, 1), C(2, 0)}, {C(0, 1)}, 0, 2, DType::complex128), (std::vector<C>{C(-1, 1), C(0, 2)}));
  EXPECT_EQ(correlated<int8_t>({100, 100}, {2, 1}, 0, 1, DType::int8), (std::vector<int8_t>{44}));
}

}  // namespace
}  // namespace tessera::library
